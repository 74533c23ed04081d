// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import java.util.Collections;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns a record of the receipts topic into a row. It uses only the operation's id: Postgres reads from the operation's row whether it has
 * succeeded, and from the payment's row whether there is an address. So a repeated, old or forged record adds nothing. Any thread.
 */
final class ReceiptHandler implements RecordHandler, AutoCloseable {

    /** Ids of operations are shorter. */
    private static final int LONGEST_ID = 500;
    private static final int LARGEST_RECORD = 16 * 1024;
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Coalescer<String, Boolean> stage;

    ReceiptHandler(Database database) {
        this.stage = new Coalescer<>("receipt-stage", database, 1, () -> {}, (connection, operations) -> {
            ReceiptTable.stage(connection, operations);
            return Collections.nCopies(operations.size(), true);
        });
    }

    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        operationOf(record.value()).ifPresent(stage::ask);
        return Verdict.done();
    }

    /** Empty for a record that is none of ours: there is nothing to mail, and the next one must not wait for it. */
    static Optional<String> operationOf(byte[] value) {
        if (value == null || value.length > LARGEST_RECORD) {
            return Optional.empty();
        }
        try {
            // Postgres's text cannot hold a NUL.
            return Optional.of(MAPPER.readTree(value).at("/operation_id").asString(""))
                    .filter(id -> !id.isEmpty() && id.length() <= LONGEST_ID && id.indexOf(0) < 0
                            && id.chars().noneMatch(c -> Character.isSurrogate((char) c)));
        } catch (JacksonException noJson) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        stage.close();
    }
}
