package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Shows a payment to the merchant who sent it, as it stands at this moment. Any thread. */
final class ReadPayment {

    private static final Map<String, String> HEADERS =
            Map.of("Content-Type", "application/json", "Cache-Control", "no-store");

    private final Database database;

    ReadPayment(Database database) {
        this.database = database;
    }

    /** @param id as it came in the path: any text */
    Answer read(String merchant, String id) {
        return PaymentId.parse(id)
                .flatMap(payment -> database.withConnection(connection -> select(connection, merchant, payment)))
                .map(body -> new Answer(200, HEADERS, body, "found"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    private static final String SELECT = """
            SELECT operation_id, state, generation, sequence, amount, currency, payment_method, customer, reference,
                   description, receipt_email, psp_reference, failure_cause, accepted_at, settled_at
              FROM operation
             WHERE operation_id = ? AND merchant_id = ?
            """;

    private static Optional<byte[]> select(Connection connection, String merchant, PaymentId id) throws SQLException {
        try (var statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, id.value());
            statement.setString(2, merchant);
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of(PaymentJson.write(view(row))) : Optional.empty();
            }
        }
    }

    private static Map<String, Object> view(ResultSet row) throws SQLException {
        PaymentStatus status = PaymentStatus.of(
                OperationState.fromTag(row.getString("state")), row.getInt("generation"), row.getInt("sequence"));
        var view = new LinkedHashMap<String, Object>();
        view.put("id", row.getString("operation_id"));
        view.put("status", status.tag());
        view.put("amount", row.getLong("amount"));
        view.put("currency", row.getString("currency"));
        for (String column : new String[] {"payment_method", "customer", "reference", "description", "receipt_email"}) {
            view.put(column, row.getString(column));
        }
        view.put("attempts", row.getInt("sequence"));
        view.put("psp_reference", row.getTimestamp("settled_at") == null ? null : row.getString("psp_reference"));
        view.put("decline_code", status == PaymentStatus.DECLINED ? row.getString("failure_cause") : null);
        view.put("accepted_at", time(row.getTimestamp("accepted_at")));
        view.put("settled_at", time(row.getTimestamp("settled_at")));
        view.values().removeIf(Objects::isNull);
        return view;
    }

    private static String time(Timestamp timestamp) {
        return timestamp == null ? null : timestamp.toInstant().toString();
    }
}
