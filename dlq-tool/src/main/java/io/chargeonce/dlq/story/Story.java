// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything there is to know about one dead letter: read at one moment, for showing and never for deciding.
 *
 * @param reference the merchant's name for the payment
 * @param edited    a poison record's value as a person edited it, where it can be opened
 * @param audit     what people and services did with it, oldest first
 */
public record Story(DeadLetterView letter, Optional<Operation> operation, Optional<String> reference, List<Attempt> attempts,
        Optional<Source> source, Optional<byte[]> edited, List<Deed> audit) {

    /**
     * A poison record where and as Kafka held it.
     *
     * @param closed why its bytes cannot be opened here; then there are none
     */
    public record Source(String topic, int partition, long offset, Optional<byte[]> key, Optional<byte[]> value,
            Optional<byte[]> headers, Optional<String> closed) {

        /** One whose bytes are known. */
        public Source(String topic, int partition, long offset, Optional<byte[]> key, Optional<byte[]> value, Optional<byte[]> headers) {
            this(topic, partition, offset, key, value, headers, Optional.empty());
        }

        /** Of a row with the columns of a poison record. */
        static Source of(ResultSet row, Vault vault) throws SQLException {
            String topic = row.getString("source_topic");
            int partition = row.getInt("source_partition");
            long offset = row.getLong("source_offset");
            return switch (vault.open(DeadLetter.place(row.getString("dead_letter_id")), row.getBytes("sealed_record"))) {
                case Opened.Readable(byte[] bytes) -> readable(topic, partition, offset, bytes);
                case Opened.Closed(String why) -> closed(topic, partition, offset, why);
            };
        }

        private static Source readable(String topic, int partition, long offset, byte[] bytes) {
            try {
                var content = FoundRecord.Content.of(bytes);
                return new Source(topic, partition, offset, Optional.ofNullable(content.key()), Optional.ofNullable(content.value()),
                        Optional.ofNullable(content.headers()));
            } catch (IllegalArgumentException changed) {
                return closed(topic, partition, offset, "these bytes are not a record's content: they were changed");
            }
        }

        private static Source closed(String topic, int partition, long offset, String why) {
            return new Source(topic, partition, offset, Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(why));
        }

        Source masked() {
            return new Source(topic, partition, offset, key.map(Mask::personal), value.map(Mask::personal), headers.map(Mask::personal),
                    closed);
        }
    }

    /** @param finding what a settlement by hand says of the money; empty for any other deed */
    public record Deed(Instant at, String actor, String action, Optional<String> reason, Optional<AttemptVerdict> finding,
            Optional<String> data, Optional<String> run) {

        private static Deed of(ResultSet row) throws SQLException {
            return new Deed(Sql.instant(row, 1), row.getString(2), row.getString(3), Optional.ofNullable(row.getString(4)),
                    AttemptVerdict.of(row.getString(6), row.getString(7)), Optional.ofNullable(row.getString(5)),
                    Optional.ofNullable(row.getString(8)));
        }
    }

    /** Also of dead letters that have left the queue. */
    public static Optional<Story> of(DeadLetterQueue queue, String id) {
        return queue.database().inTransaction(connection -> {
            Optional<DeadLetterView> letter = DeadLetterQuery.find(connection, List.of(id)).stream().findFirst();
            return letter.isEmpty() ? Optional.empty() : Optional.of(tell(connection, queue.vault(), letter.get()));
        });
    }

    /** Without card tokens and what identifies a person. */
    public Story masked() {
        return new Story(letter.masked(), operation, reference.map(Mask::personal), attempts.stream().map(Story::masked).toList(),
                source.map(Source::masked), edited.map(Mask::personal), audit);
    }

    private static Attempt masked(Attempt attempt) {
        return new Attempt(attempt.key(), attempt.operationId(), attempt.payment(), attempt.kind(), attempt.ref(), attempt.generation(),
                attempt.sequence(), attempt.psp(), attempt.state(), attempt.request(), attempt.sends(), attempt.notFound(),
                attempt.sentAt(),
                attempt.keyValidUntil(), attempt.pspReference(), attempt.cause(), attempt.message().map(Mask::personal));
    }

    private static final String SOURCE = """
            SELECT dead_letter_id, source_topic, source_partition, source_offset, sealed_record
              FROM dead_letter WHERE dead_letter_id = ? AND source_topic IS NOT NULL
            """;

    private static final String AUDIT = """
            SELECT at, actor, action, reason, data, audit_detail(data, 'verdict'), audit_detail(data, 'psp_reference'),
                   audit_detail(data, 'run')
              FROM audit_record WHERE resource_id = ? ORDER BY audit_id
            """;

    private static Story tell(Connection connection, Vault vault, DeadLetterView letter) throws SQLException {
        Optional<Operation> operation = letter.operationId().isEmpty() ? Optional.empty()
                : OperationTable.find(connection, letter.operationId().get());
        List<Attempt> attempts = operation.isEmpty() ? List.of()
                : AttemptTable.ofOperation(connection, operation.get());
        return new Story(letter, operation, operation.flatMap(op -> op.accepted().request().reference()), attempts,
                Sql.first(connection, SOURCE, row -> Source.of(row, vault), letter.id()),
                EditedRecords.of(connection, vault, List.of(letter.id())).stream().findFirst().flatMap(EditedRecords.Row::value),
                Sql.all(connection, AUDIT, Deed::of, letter.id()));
    }
}
