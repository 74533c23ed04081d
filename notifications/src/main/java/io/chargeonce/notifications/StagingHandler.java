// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Turns a record of Kafka into rows. It uses only the operation's id: Postgres reads from the rows whether the operation has ended, how,
 * and who is told. So a repeated, old or forged record adds nothing. Any thread.
 */
final class StagingHandler implements RecordHandler, AutoCloseable {

    /** Ids of operations are shorter. */
    private static final int LONGEST_ID = 500;
    private static final int WRITERS = 2;
    private static final String STAGE = "SELECT stage_%ss(?)";

    private final Function<ConsumerRecord<byte[], byte[]>, Optional<String>> operationOf;
    private final Coalescer<String, Boolean> stage;

    /** @param operationOf the id in a record; empty for a record that is none of ours */
    StagingHandler(Channel channel, Database database, Function<ConsumerRecord<byte[], byte[]>, Optional<String>> operationOf) {
        this.operationOf = operationOf;
        this.stage = new Coalescer<>(channel.noun() + "-stage", database, WRITERS, () -> {}, (connection, operations) -> {
            Sql.call(connection, STAGE.formatted(channel.noun()), operations);
            return Collections.nCopies(operations.size(), true);
        });
    }

    /** What names no operation has no message, and the next record must not wait for it. */
    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        operationOf.apply(record).filter(StagingHandler::canBeAnId).ifPresent(stage::ask);
        return Verdict.done();
    }

    /** Postgres's text holds neither a NUL nor half a pair of surrogates. */
    private static boolean canBeAnId(String text) {
        return !text.isEmpty() && text.length() <= LONGEST_ID && text.chars().noneMatch(c -> c == 0 || Character.isSurrogate((char) c));
    }

    @Override
    public void close() {
        stage.close();
    }
}
