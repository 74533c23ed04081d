// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import java.util.Locale;

/** Exact places at which a process can be made to die. The code of the place is woven in; nothing of it is shipped. */
public enum CrashPoint {
    BEFORE_PSP_CALL("io.chargeonce.psp.stripe.StripeGateway", "charge", Side.ENTER),
    DURING_PSP_CALL("io.chargeonce.psp.stripe.StripeGateway", "create", Side.EXIT),
    AFTER_PSP_CALL("io.chargeonce.psp.stripe.StripeGateway", "charge", Side.EXIT),
    AFTER_DATABASE_COMMIT("io.chargeonce.charge.OutcomeRecorder", "resolve", Side.EXIT),
    BEFORE_OFFSET_COMMIT("io.chargeonce.charge.ChargeHandler", "handle", Side.EXIT),
    BETWEEN_ACK_AND_DELETE("io.chargeonce.database.OutboxSender", "send", Side.EXIT),
    BETWEEN_ACCEPT_AND_ANSWER("io.chargeonce.ingest.accept.KeysInFlight", "accept", Side.EXIT),
    AFTER_RUN_PLANNED("io.chargeonce.dlq.run.DlqRuns", "plan", Side.EXIT),
    BEFORE_MERGE_COMMIT("io.chargeonce.dlq.run.MergeMoves", "write", Side.EXIT),
    BEFORE_PURGE_COMMIT("io.chargeonce.dlq.run.Purge", "purge", Side.EXIT),
    AFTER_RUN_COMMIT("io.chargeonce.dlq.run.RunLeader", "runOnce", Side.EXIT);

    enum Side { ENTER, EXIT }

    final String type;
    final String method;
    final Side side;

    CrashPoint(String type, String method, Side side) {
        this.type = type;
        this.method = method;
        this.side = side;
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public boolean isIn(String service) {
        return switch (this) {
            case BETWEEN_ACCEPT_AND_ANSWER -> service.startsWith("ingest");
            case BETWEEN_ACK_AND_DELETE -> !service.startsWith("operator");
            case BEFORE_PSP_CALL, DURING_PSP_CALL, AFTER_PSP_CALL, AFTER_DATABASE_COMMIT, BEFORE_OFFSET_COMMIT ->
                service.startsWith("charge") || service.startsWith("retry");
            case AFTER_RUN_PLANNED, BEFORE_MERGE_COMMIT, BEFORE_PURGE_COMMIT, AFTER_RUN_COMMIT -> service.startsWith("operator");
        };
    }
}
