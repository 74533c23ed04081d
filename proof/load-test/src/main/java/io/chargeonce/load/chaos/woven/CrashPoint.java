// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.charge.ChargeHandler;
import io.chargeonce.charge.ChargeSeams;
import io.chargeonce.database.RelaySeams;
import io.chargeonce.dlq.run.RunSeams;
import io.chargeonce.ingest.accept.AcceptSeams;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSeams;
import java.util.Locale;

/** Exact places at which a process can be made to die. The code of the place is woven in; nothing of it is shipped. */
public enum CrashPoint {
    BEFORE_PSP_CALL(at(StripeGateway::charge), Side.ENTER),
    DURING_PSP_CALL(StripeSeams.CREATE, Side.EXIT),
    AFTER_PSP_CALL(at(StripeGateway::charge), Side.EXIT),
    AFTER_DATABASE_COMMIT(ChargeSeams.RESOLVE, Side.EXIT),
    BEFORE_OFFSET_COMMIT(at(ChargeHandler::handle), Side.EXIT),
    BETWEEN_ACK_AND_DELETE(RelaySeams.SEND, Side.EXIT),
    BETWEEN_ACCEPT_AND_ANSWER(AcceptSeams.ACCEPT, Side.EXIT),
    AFTER_RUN_PLANNED(RunSeams.PLAN, Side.EXIT),
    BEFORE_MERGE_COMMIT(RunSeams.MERGE, Side.EXIT),
    BEFORE_PURGE_COMMIT(RunSeams.PURGE, Side.EXIT),
    AFTER_RUN_COMMIT(RunSeams.RUN_ONCE, Side.EXIT);

    enum Side { ENTER, EXIT }

    final Seam place;
    final Side side;

    CrashPoint(Seam place, Side side) {
        this.place = place;
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
