// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.PoisonCause;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What a record means whose operation is not in the database. */
final class UnknownPayment {

    private UnknownPayment() {}

    /** @param at when the record was put on its topic; empty if it does not say so, and then it counts as new */
    static Claim.Refused refused(Connection connection, PaymentRecord record, Optional<Instant> at) throws SQLException {
        if (!record.hasIdOfItsKey()) {
            return new Claim.Refused(PoisonCause.UNKNOWN_PAYMENT, "no such payment was ever accepted");
        }
        // A payment is kept for the retention after its last record, so a younger record proves that its payment was lost.
        Optional<Duration> over = at.isEmpty() ? Optional.empty() : AgreedSettings.retentionOver(connection, at.get());
        return new Claim.Refused(PoisonCause.FORGOTTEN_PAYMENT, over.isPresent()
                ? ("this record is older than %d days, after which payments and refunds are forgotten: do not send it again, because that "
                        + "could move money a second time; purge this").formatted(over.get().toDays())
                : lost(record));
    }

    private static String lost(PaymentRecord record) {
        return switch (OperationKind.fromTag(record.operation())) {
            case CHARGE -> "the database has lost this payment: its producer must send it again, under the same key; then purge this";
            case REFUND -> "the database has lost this refund: its merchant must ask for it again, under the same reference; "
                    + "then purge this";
            case REVERSAL -> "the database has lost this reversal: compare the PSP's refunds with bank reconcile; then purge this";
            case RETURN -> throw new IllegalStateException("Bug! No id of a return is that of work: " + record.operationId());
        };
    }
}
