// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ledger.CaptureFailures;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.DisputeTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Shows a payment to its merchant, as it stands now. Any thread. */
public final class ReadPayment {

    public static final Map<String, String> HEADERS =
            Map.of("Content-Type", "application/json", "Cache-Control", "no-store");

    private final Database database;

    public ReadPayment(Database database) {
        this.database = database;
    }

    /** @param id as it came in the path: any text */
    public Answer read(String merchant, String id) {
        return PaymentId.parse(id)
                .flatMap(payment -> database.withConnection(connection -> select(connection, merchant, payment)))
                .map(body -> new Answer(200, HEADERS, body, "found"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    /** @param refund likewise */
    public Answer readRefund(String merchant, String id, String refund) {
        return PaymentId.parse(id).flatMap(payment -> refunds(merchant, payment)).stream().flatMap(List::stream)
                .filter(one -> one.id().equals(refund)).findFirst()
                .map(one -> new Answer(200, HEADERS, PaymentJson.write(RefundJson.now(one)), "found"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    public Answer readRefunds(String merchant, String id) {
        return PaymentId.parse(id).flatMap(payment -> refunds(merchant, payment))
                .map(all -> new Answer(200, HEADERS, PaymentJson.write(Map.of("data", all.stream().map(RefundJson::now).toList())),
                        "listed"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    /** @param id as it came in the path: any text */
    public Answer readDisputes(String merchant, String id) {
        return PaymentId.parse(id).filter(payment -> has(merchant, id))
                .map(payment -> database.withConnection(connection -> DisputeTable.of(connection, merchant, payment.value())))
                .map(all -> new Answer(200, HEADERS, PaymentJson.write(Map.of("data", all.stream().map(ReadPayment::shown).toList())),
                        "listed"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    /** @param id as it came in the path: any text */
    public boolean has(String merchant, String id) {
        return PaymentId.parse(id).filter(payment -> database.withConnection(
                connection -> OperationTable.find(connection, merchant, payment.value()).isPresent())).isPresent();
    }

    private Optional<List<Operation>> refunds(String merchant, PaymentId payment) {
        return database.withConnection(connection -> OperationTable.find(connection, merchant, payment.value()).isPresent()
                ? Optional.of(OperationTable.refundsOf(connection, merchant, payment)) : Optional.empty());
    }

    private static Map<String, Object> shown(CaptureFailures.Failure failure) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("reason", failure.reason());
        shown.put("failed_at", failure.failedAt().toString());
        failure.recapturedAt().ifPresent(at -> shown.put("recaptured_at", at.toString()));
        return shown;
    }

    private static Map<String, Object> shown(Dispute dispute) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("id", dispute.reference());
        shown.put("payment", dispute.payment());
        shown.put("psp", dispute.psp());
        dispute.money().ifPresent(money -> {
            shown.put("amount", money.minorUnits());
            shown.put("currency", money.currency());
        });
        shown.put("reason", dispute.reason());
        shown.put("stage", dispute.stage().tag());
        shown.put("funds", dispute.funds().tag());
        shown.put("is_final", dispute.isFinal());
        dispute.toAnswerBy().ifPresent(due -> shown.put("due_by", due.toString()));
        return shown;
    }

    private static final String SELECT = """
            SELECT %s
              FROM operation_of(?, ?) AS charge
            """.formatted(PaymentView.COLUMNS);

    /** As a body, within the caller's transaction. */
    public static Optional<byte[]> select(Connection connection, String merchant, PaymentId id) throws SQLException {
        Optional<Map<String, Object>> found = Sql.first(connection, SELECT, PaymentView::of, merchant, id.value());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Object> view = found.get();
        CaptureFailures.find(connection, merchant, id.value()).ifPresent(failure -> view.put("capture_failure", shown(failure)));
        view.put("attempts", AttemptView.of(connection, merchant, id.value()));
        view.put("refunds", OperationTable.refundsOf(connection, merchant, id).stream().map(RefundJson::now).toList());
        return Optional.of(PaymentJson.write(view));
    }
}
