// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/** Poison records that a person has edited, as they can be sent again. */
public final class EditedRecords {

    /**
     * @param edit   closed where no data key opens it
     * @param readAt by the database's clock
     */
    public record Row(String id, String topic, Opened edit, Instant readAt) {

        Optional<byte[]> value() {
            return edit instanceof Opened.Readable readable ? Optional.of(readable.bytes()) : Optional.empty();
        }

        /**
         * Under the payment's key, even if the record was found with another one, and without fields that a payment's record does not have;
         * empty if it cannot be opened.
         */
        public Optional<OutboxRow> again() {
            try {
                return value().map(bytes -> PaymentJson.MAPPER.readValue(bytes, PaymentRecord.class))
                        .map(record -> new OutboxRow(topic, record.operationId(), Optional.of(PaymentJson.write(record)),
                                PaymentHeaders.event(PaymentRecord.TYPE, PaymentRecord.VERSION, id + "/edited", readAt).toMap()));
            } catch (JacksonException changed) {
                // These are not the bytes that an edit has stored, so they are not sent.
                return Optional.empty();
            }
        }
    }

    private EditedRecords() {}

    /** What an edit of this dead letter is sealed for. */
    static String place(String id) {
        return DeadLetter.place(id) + " edited";
    }

    private static final String READ = """
            SELECT dead_letter_id, source_topic, sealed_edit, clock_timestamp()
              FROM dead_letter WHERE dead_letter_id = ANY (?) AND sealed_edit IS NOT NULL
            """;

    static List<Row> of(Connection connection, Vault vault, Collection<String> ids) throws SQLException {
        return read(connection, vault, READ, ids);
    }

    private static final String LOCK = READ + " ORDER BY dead_letter_id FOR UPDATE";

    /** None of them is edited before the transaction ends. */
    public static List<Row> lock(Connection connection, Vault vault, Collection<String> ids) throws SQLException {
        return read(connection, vault, LOCK, ids);
    }

    private static List<Row> read(Connection connection, Vault vault, String sql, Collection<String> ids) throws SQLException {
        return Sql.all(connection, sql, row -> new Row(row.getString(1), row.getString(2),
                vault.open(place(row.getString(1)), row.getBytes(3)), Sql.instant(row, 4)), ids);
    }
}
