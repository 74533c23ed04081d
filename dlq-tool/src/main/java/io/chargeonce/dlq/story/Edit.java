// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.wire.Decoded;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import tools.jackson.core.JacksonException;

/**
 * Makes a poison record readable, so that a merge can send it again. The fields that say who pays how much, to whom and with what
 * never change, and the result must agree with an accepted payment. The original record stays.
 */
public final class Edit {

    private final DeadLetterQueue queue;

    public Edit(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** Why this dead letter cannot be edited; empty if it can. */
    public Optional<String> obstacle(Story story) {
        if (story.source().isEmpty()) {
            return Optional.of("it is a payment, and what was accepted never changes: merge it or purge it");
        }
        if (!story.letter().state().equals("dead")) {
            return Optional.of("it has left the queue: " + story.letter().state());
        }
        Optional<String> closed = story.source().get().closed();
        if (closed.isPresent()) {
            return Optional.of("its bytes cannot be opened: " + closed.get());
        }
        String topic = story.source().get().topic();
        Topics topics = queue.topics();
        boolean ours = IntStream.rangeClosed(0, Topics.MOST_TIERS).mapToObj(topics::ofTier).anyMatch(topic::equals);
        return ours ? Optional.empty()
                : Optional.of(
                        "it was found on '%s', where nothing of this pipeline is read: merge it as it is, or purge it".formatted(topic));
    }

    /** Records in the audit log who is about to read the record unmasked. */
    public void opened(Story story, AuditContext by) {
        queue.database().inTransaction(connection -> {
            AuditLog.append(connection, List.of(entry("dlq.opened", story.letter(), by)));
            return story;
        });
    }

    private static AuditLog.Entry entry(String action, DeadLetterView letter, AuditContext by) {
        return new AuditLog.Entry(by.person(), action, Optional.empty(), "dead_letter", letter.id(), by.reason(),
                Map.of("run", by.run(), "cause", letter.cause()));
    }

    /** @return why the record is refused, every reason at once; empty if it was kept */
    public List<String> keep(Story story, byte[] edited, AuditContext by) {
        byte[] sealed = queue.vault().seal(EditedRecords.place(story.letter().id()), edited);
        return queue.database().inTransaction(connection -> {
            List<String> refusals = refusals(connection, story.source().orElseThrow().value().orElse(new byte[0]), edited);
            return refusals.isEmpty() ? save(connection, story.letter(), sealed, by) : refusals;
        });
    }

    private static List<String> refusals(Connection connection, byte[] found, byte[] edited) throws SQLException {
        return switch (Decoded.from(key(edited), edited)) {
            case Decoded.Poison poison -> List.of("it would be poison again: " + poison.detail());
            case Decoded.Newer newer -> List.of("it would be poison again: " + newer.detail());
            case Decoded.Request request -> {
                var refusals = new ArrayList<>(FixedFields.changed(found, edited).stream()
                        .map(name -> "'%s' says who pays what and with what, and is never edited".formatted(name)).toList());
                differs(connection, request.record()).ifPresent(refusals::add);
                yield refusals;
            }
        };
    }

    /** The key that the record will be sent with. */
    private static byte[] key(byte[] edited) {
        try {
            return PaymentJson.MAPPER.readTree(edited).path("operation_id").asString("").getBytes(StandardCharsets.UTF_8);
        } catch (JacksonException unreadable) {
            return new byte[0];
        }
    }

    private static Optional<String> differs(Connection connection, PaymentRecord record) throws SQLException {
        Optional<Operation> operation = OperationTable.find(connection, record.operationId());
        if (operation.isEmpty()) {
            return Optional.of("no payment '%s' was ever accepted".formatted(record.operationId()));
        }
        return Staging.record(operation.get()).saysTheSameAs(record) ? Optional.empty()
                : Optional.of("it says something else than was accepted: chargeonce dlq why %s tells what".formatted(record.operationId()));
    }

    private static final String SAVE = """
            UPDATE dead_letter SET sealed_edit = ? WHERE dead_letter_id = ? AND state = 'dead' AND operation_id IS NULL
            """;

    private static List<String> save(Connection connection, DeadLetterView letter, byte[] sealed, AuditContext by) throws SQLException {
        if (Sql.update(connection, SAVE, sealed, letter.id()) == 0) {
            return List.of("another person has moved it meanwhile");
        }
        AuditLog.append(connection, List.of(entry("dlq.edited", letter, by)));
        return List.of();
    }
}
