package io.chargeonce.dlq;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything there is to know about one dead letter: read at one moment, for showing and never for deciding.
 *
 * @param reference the merchant's name for the payment
 * @param edited    what somebody made of a poison record's value
 * @param audit     what people and services did with it, oldest first
 */
public record Story(DeadLetterView letter, Optional<Operation> operation, Optional<String> reference, List<Attempt> attempts,
                    Optional<Source> source, Optional<byte[]> edited, List<Deed> audit) {

    /** A poison record where and as Kafka held it. */
    public record Source(String topic, int partition, long offset, Optional<byte[]> key, Optional<byte[]> value,
                         Optional<byte[]> headers) {

        Source masked() {
            return new Source(topic, partition, offset, key.map(Mask::personal), value.map(Mask::personal), headers.map(Mask::personal));
        }
    }

    /** @param finding what a settlement by hand says of the money; empty for any other deed */
    public record Deed(Instant at, String actor, String action, Optional<String> reason, Optional<Finding> finding,
                       Optional<String> data) {}

    /** Also of dead letters that have left the queue. */
    public static Optional<Story> of(DeadLetterQueue queue, String id) {
        return queue.database().inTransaction(connection -> {
            Optional<DeadLetterView> letter = DeadLetterQuery.find(connection, List.of(id)).stream().findFirst();
            return letter.isEmpty() ? Optional.empty() : Optional.of(tell(connection, letter.get()));
        });
    }

    /** Without card tokens and what identifies a person. */
    public Story masked() {
        return new Story(letter.masked(), operation, reference.map(Mask::personal), attempts.stream().map(Story::masked).toList(),
                source.map(Source::masked), edited.map(Mask::personal), audit);
    }

    private static Attempt masked(Attempt attempt) {
        return new Attempt(attempt.key(), attempt.operationId(), attempt.payment(), attempt.kind(), attempt.ref(), attempt.generation(),
                attempt.sequence(), attempt.psp(), attempt.state(), attempt.request(), attempt.sends(), attempt.notFound(), attempt.sentAt(),
                attempt.keyValidUntil(), attempt.pspReference(), attempt.cause(), attempt.message().map(Mask::personal));
    }

    private static Story tell(Connection connection, DeadLetterView letter) throws SQLException {
        Optional<Operation> operation = letter.operationId().isEmpty() ? Optional.empty()
                : OperationTable.find(connection, letter.operationId().get());
        List<Attempt> attempts = operation.isEmpty() ? List.of()
                : AttemptTable.ofOperation(connection, operation.get());
        return new Story(letter, operation, operation.flatMap(op -> op.accepted().request().reference()), attempts, source(connection, letter.id()),
                EditedRecords.of(connection, List.of(letter.id())).stream().findFirst().map(EditedRecords.Row::value), audit(connection, letter.id()));
    }

    private static final String SOURCE = """
            SELECT source_topic, source_partition, source_offset, raw_key, raw_value, raw_headers
              FROM dead_letter WHERE dead_letter_id = ? AND source_topic IS NOT NULL
            """;

    private static Optional<Source> source(Connection connection, String id) throws SQLException {
        try (var statement = connection.prepareStatement(SOURCE)) {
            statement.setString(1, id);
            try (var result = statement.executeQuery()) {
                return result.next()
                        ? Optional.of(new Source(result.getString(1), result.getInt(2), result.getLong(3),
                                Optional.ofNullable(result.getBytes(4)), Optional.ofNullable(result.getBytes(5)),
                                Optional.ofNullable(result.getBytes(6))))
                        : Optional.empty();
            }
        }
    }

    private static final String AUDIT = """
            SELECT at, actor, action, reason, data, audit_detail(data, 'verdict'), audit_detail(data, 'psp_reference')
              FROM audit_record WHERE resource_id = ? ORDER BY audit_id
            """;

    private static List<Deed> audit(Connection connection, String id) throws SQLException {
        var deeds = new ArrayList<Deed>();
        try (var statement = connection.prepareStatement(AUDIT)) {
            statement.setString(1, id);
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    deeds.add(new Deed(result.getObject(1, OffsetDateTime.class).toInstant(), result.getString(2),
                            result.getString(3), Optional.ofNullable(result.getString(4)),
                            Finding.of(result.getString(6), result.getString(7)), Optional.ofNullable(result.getString(5))));
                }
            }
        }
        return deeds;
    }
}
