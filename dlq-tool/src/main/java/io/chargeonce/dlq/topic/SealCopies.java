// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.Seal;
import io.chargeonce.audit.SealCheck;
import io.chargeonce.audit.SealTable;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.SealRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;

/**
 * Whether Kafka has the same seals as the database. First the table is read, then the topic up to its end: what the table held
 * and no outbox row waits for is on the topic by then. So it may be asked while everything runs. One thread, and memory for a bit a seal.
 */
public final class SealCopies {

    private static final int LOOK = 1_000;
    /** A copy is never older than its seal, but for the clocks. */
    private static final Duration CLOCKS_DIFFER = Duration.ofDays(1);

    private final DeadLetterQueue queue;
    private final AuditKeys keys;
    private final Consumer<SealCheck.Finding> findings;
    private final BitSet seen = new BitSet();
    private final List<Seal> copies = new ArrayList<>();
    private final SealCheck.Start after;
    private final long first;
    private Optional<Instant> from = Optional.empty();
    private long last;

    private SealCopies(DeadLetterQueue queue, AuditKeys keys, SealCheck.Start after, Consumer<SealCheck.Finding> findings) {
        this.queue = queue;
        this.keys = keys;
        this.after = after;
        this.first = after.mark().isPresent() ? after.seal() : after.seal() + 1;
        this.findings = findings;
    }

    /**
     * @param after only seals after this one are compared, and this one if its mark is given. If that is right, older records are not read
     * @param findings get each seal that the database and the topic do not agree about
     * @throws org.apache.kafka.common.KafkaException if Kafka can't be reached
     */
    public static void compare(DeadLetterQueue queue, KafkaConnection kafka, AuditKeys keys, SealCheck.Start after,
                               Consumer<SealCheck.Finding> findings) {
        var one = new SealCopies(queue, keys, after, findings);
        queue.database().withConnection(one::readTable);
        Optional<TopicScan> scan = TopicScan.open(kafka, queue.topics().auditSeals());
        if (scan.isEmpty()) {
            findings.accept(new SealCheck.Finding(OptionalLong.empty(),
                    "there is no topic %s: run chargeonce migrate".formatted(queue.topics().auditSeals())));
            return;
        }
        try (TopicScan open = scan.get()) {
            one.from.ifPresent(open::skipTo);
            open.partitions().forEach(partition -> open.read(partition, one::take));
        }
        one.look();
        one.tellUnseen();
    }

    private static final String LAST = "SELECT coalesce(max(seal), 0) FROM audit_seal";

    private static final String WAITING = "SELECT record_key::int FROM outbox WHERE topic = ? AND record_key ~ '^[0-9]{1,9}$'";

    /** In this order: what leaves the outbox in between is on the topic. */
    private boolean readTable(Connection connection) throws SQLException {
        last = Sql.one(connection, LAST, row -> row.getLong(1));
        from = SealTable.numbered(connection, List.of(after.seal())).stream().filter(this::isTheGiven).findFirst()
                .map(seal -> seal.time().minus(CLOCKS_DIFFER));
        Sql.all(connection, WAITING, row -> row.getInt(1), queue.topics().auditSeals()).forEach(seen::set);
        return true;
    }

    /** Otherwise the database's owner may have chosen its time, which must not decide what is read. */
    private boolean isTheGiven(Seal seal) {
        return after.mark().filter(seal.mark()::equals).isPresent() && seal.checkMark(keys) == Seal.Mark.RIGHT;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        try {
            Seal copy = Seal.of(PaymentJson.MAPPER.readValue(record.value() == null ? new byte[0] : record.value(), SealRecord.class));
            if (copy.number() < 1) {
                throw new IllegalArgumentException("seals have numbers");
            }
            if (copy.number() >= first) {
                copies.add(copy);
            }
        } catch (JacksonException | IllegalArgumentException | NullPointerException unreadable) {
            findings.accept(new SealCheck.Finding(OptionalLong.empty(), "%s-%d at offset %d has a record that is no seal"
                    .formatted(record.topic(), record.partition(), record.offset())));
        }
        if (copies.size() == LOOK) {
            look();
        }
    }

    private void look() {
        List<Long> numbers = copies.stream().map(Seal::number).distinct().toList();
        Map<Long, Seal> rows = queue.database().withConnection(connection -> SealTable.numbered(connection, numbers)).stream()
                .collect(Collectors.toMap(Seal::number, Function.identity()));
        for (Seal copy : copies) {
            Seal row = rows.get(copy.number());
            if (copy.equals(row)) {
                seen.set((int) Math.min(copy.number(), Integer.MAX_VALUE - 1));
            } else {
                String which = "made %s over records %d to %d".formatted(copy.sealedAt(), copy.from(), copy.to());
                tell(copy.number(),
                        (row == null ? "Kafka has it, %s, and the database does not" : "Kafka has another one, %s").formatted(which)
                                + (copy.checkMark(keys) == Seal.Mark.WRONG ? "; no key of ours made that one's mark" : ""));
            }
        }
        copies.clear();
    }

    private void tellUnseen() {
        for (long number = seen.nextClearBit((int) first); number <= last; number = seen.nextClearBit((int) number + 1)) {
            tell(number, "Kafka has no copy of it");
        }
    }

    private void tell(long seal, String what) {
        findings.accept(new SealCheck.Finding(OptionalLong.of(seal), what));
    }
}
