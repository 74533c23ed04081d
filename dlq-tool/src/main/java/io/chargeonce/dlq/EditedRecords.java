package io.chargeonce.dlq;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Poison records that somebody has edited, as they can be sent again. */
final class EditedRecords {

    record Row(String id, String topic, byte[] value) {

        /** Under the payment's key, whatever the key was that the record was found with. */
        OutboxRow again(Instant now) {
            PaymentRecord record = PaymentJson.MAPPER.readValue(value, PaymentRecord.class);
            return new OutboxRow(topic, record.operationId(), Optional.of(value),
                    PaymentHeaders.event(PaymentRecord.TYPE, id + "/edited", now).toMap());
        }
    }

    private EditedRecords() {}

    private static final String READ = """
            SELECT dead_letter_id, source_topic, edited_value FROM dead_letter WHERE dead_letter_id = ANY (?) AND edited_value IS NOT NULL
            """;

    static List<Row> of(Connection connection, Collection<String> ids) throws SQLException {
        try (var statement = connection.prepareStatement(READ)) {
            statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
            var rows = new ArrayList<Row>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(new Row(result.getString(1), result.getString(2), result.getBytes(3)));
                }
            }
            return rows;
        }
    }
}
