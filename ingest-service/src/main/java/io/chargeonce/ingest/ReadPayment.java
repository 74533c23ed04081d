package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** Shows a payment to the merchant who sent it, as it stands at this moment. Any thread. */
final class ReadPayment {

    static final Map<String, String> HEADERS =
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
            SELECT %s
              FROM operation
             WHERE operation_id = ? AND merchant_id = ?
            """.formatted(PaymentView.COLUMNS);

    private static Optional<byte[]> select(Connection connection, String merchant, PaymentId id) throws SQLException {
        try (var statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, id.value());
            statement.setString(2, merchant);
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of(PaymentJson.write(PaymentView.of(row))) : Optional.empty();
            }
        }
    }
}
