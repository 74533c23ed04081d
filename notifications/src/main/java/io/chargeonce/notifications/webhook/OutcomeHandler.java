// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Turns a record of the outcomes topic into deliveries. It uses only the record's key, which names the operation: Postgres reads from the
 * operation's row whether and how it ended. So a repeated, old or forged record adds nothing. Any thread.
 */
final class OutcomeHandler implements RecordHandler, AutoCloseable {

    /** Ids of operations are shorter. */
    private static final int LONGEST_ID = 500;
    private static final int WRITERS = 2;

    private final Coalescer<String, Boolean> stage;

    /** @param staged called when deliveries may have been inserted */
    OutcomeHandler(Database database, Runnable staged) {
        this.stage = new Coalescer<>("webhook-stage", database, WRITERS, staged, OutcomeHandler::stage);
    }

    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        operationOf(record.key()).ifPresent(stage::ask);
        return Verdict.done();
    }

    /** Empty for a key that names no operation. */
    private static Optional<String> operationOf(byte[] key) {
        if (key == null || key.length == 0 || key.length > LONGEST_ID) {
            return Optional.empty();
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
            // Postgres's text cannot hold it.
            return Optional.of(text).filter(id -> id.indexOf(0) < 0);
        } catch (CharacterCodingException notOurs) {
            return Optional.empty();
        }
    }

    private static final String STAGE = "SELECT stage_webhooks(?)";

    private static List<Boolean> stage(Connection connection, List<String> operations) throws SQLException {
        Sql.call(connection, STAGE, operations);
        return Collections.nCopies(operations.size(), true);
    }

    @Override
    public void close() {
        stage.close();
    }
}
