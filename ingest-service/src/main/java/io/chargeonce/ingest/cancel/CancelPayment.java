// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.cancel;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.reading.ReadPayment;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cancels a payment for its merchant, in one transaction with the audit record. A payment that no attempt may have charged is canceled at
 * once. For any other payment the request is stored, and charge queries the PSP. The same request again changes nothing. Any thread.
 */
public final class CancelPayment {

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Database database;

    public CancelPayment(Database database) {
        this.database = database;
    }

    /** @param reason why, in the merchant's words; for the audit log */
    public Answer cancel(String merchant, PaymentId payment, Optional<String> reason) {
        return database.inTransaction(connection -> {
            Database.waitForLocks(connection, PATIENCE);
            return cancel(connection, merchant, payment, reason);
        });
    }

    /** @param status the state that counts, or {@code canceling} or {@code found_at_psp}; null if the merchant has no such payment */
    private record Decided(String status, boolean isNew) {}

    private static final String CANCEL = "SELECT status, is_new FROM cancel_payment(?, ?)";

    private static Answer cancel(Connection connection, String merchant, PaymentId payment, Optional<String> reason) throws SQLException {
        Decided decided = Sql.one(connection, CANCEL, row -> new Decided(row.getString(1), row.getBoolean(2)), merchant, payment.value());
        return switch (decided.status) {
            case null -> Problems.notFound().answer();
            case "succeeded", "failed" -> Problems.alreadyCaptured(payment).answer();
            case "found_at_psp" -> Problems.foundAtPsp(payment).answer();
            case "declined" -> Problems.paymentDeclined(payment).answer();
            default -> {
                if (decided.isNew) {
                    Operation charge = OperationTable.find(connection, merchant, payment.value()).orElseThrow();
                    AuditLog.append(connection, List.of(AuditLog.Entry.of("merchant:" + merchant, "payment.cancel_requested",
                            charge, reason, Map.of("status", decided.status))));
                }
                yield answer(connection, merchant, payment, decided);
            }
        };
    }

    private static Answer answer(Connection connection, String merchant, PaymentId payment, Decided decided) throws SQLException {
        var headers = new LinkedHashMap<>(ReadPayment.HEADERS);
        if (!decided.isNew) {
            headers.put("Idempotent-Replayed", "true");
        }
        return new Answer(202, headers, ReadPayment.select(connection, merchant, payment).orElseThrow(),
                decided.isNew ? decided.status : "replayed");
    }
}
