// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import tools.jackson.core.JacksonException;

/**
 * Whether the compacted topic shows the same dead letters as the table. First the table is read, then the topic up to its
 * end: what the table held and no outbox row waits for is on the topic by then, and what the topic knows newer is no
 * difference. So it may be asked while everything runs. One thread, and memory for one partition and the live ids.
 */
public final class TopicAgreement {

    /** What the topic shows of one id. */
    private record Seen(Kind kind, int revision) {

        enum Kind { LETTER, TOMBSTONE, FOREIGN_TOMBSTONE }

        boolean live() {
            return kind == Kind.LETTER;
        }

        /** Of two copies the one with the higher revision is newer. A foreign tombstone has none: there the later record counts. */
        Seen then(Seen later) {
            boolean byPlace = kind == Kind.FOREIGN_TOMBSTONE || later.kind == Kind.FOREIGN_TOMBSTONE;
            return byPlace || later.revision >= revision ? later : this;
        }
    }

    private static final int FETCH = 5_000;
    private static final int LOOK = 1_000;

    private final DeadLetterQueue queue;
    private final int limit;
    private final boolean dropUnknown;
    private final LiveRevisions live = new LiveRevisions();
    private final Set<String> pending = new HashSet<>();
    private final List<Agreement.Difference> differences = new ArrayList<>();

    private TopicAgreement(DeadLetterQueue queue, int limit, boolean dropUnknown) {
        this.queue = queue;
        this.limit = limit;
        this.dropUnknown = dropUnknown;
    }

    /**
     * @param limit       about the most that are returned
     * @param dropUnknown whether a repair is to remove also what only the topic has
     * @throws org.apache.kafka.common.KafkaException if Kafka can't be reached
     */
    public static List<Agreement.Difference> differences(DeadLetterQueue queue, KafkaConnection kafka, int limit, boolean dropUnknown) {
        var agreement = new TopicAgreement(queue, limit, dropUnknown);
        queue.database().inTransaction(connection -> agreement.readTable(connection));
        String topic = queue.topics().deadLetters();
        Optional<TopicScan> scan = TopicScan.open(kafka, topic);
        if (scan.isEmpty()) {
            return List.of(new Agreement.Difference(topic, "there is no such topic: run chargeonce migrate"));
        }
        try (TopicScan open = scan.get()) {
            open.partitions().forEach(partition -> {
                var folded = new HashMap<String, Seen>();
                open.read(partition, record -> agreement.fold(folded, record));
                agreement.compare(folded);
            });
        }
        queue.database().inTransaction(agreement::tellUnseen);
        return List.copyOf(agreement.differences);
    }

    /** Of one moment. Those with a record that still waits in the outbox are left out. */
    private static final String LIVE = """
            SELECT dead_letter_id, revision, EXISTS (SELECT FROM outbox WHERE topic = ? AND record_key = dead_letter_id) AS waits
              FROM dead_letter WHERE state = 'dead'
            """;

    private boolean readTable(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(LIVE)) {
            statement.setString(1, queue.topics().deadLetters());
            statement.setFetchSize(FETCH);
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    live.put(result.getString(1), result.getInt(2));
                    if (result.getBoolean(3)) {
                        pending.add(result.getString(1));
                    }
                }
            }
        }
        return true;
    }

    private void fold(Map<String, Seen> folded, ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            // Only from before the topic was compacted: a compacted topic takes no record without a key.
            return;
        }
        folded.merge(new String(record.key(), StandardCharsets.UTF_8), seen(record), Seen::then);
    }

    private static Seen seen(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            Header revision = record.headers().lastHeader("chargeonce-revision");
            String text = revision == null ? "" : new String(revision.value(), StandardCharsets.UTF_8);
            return text.matches("\\d{1,10}") && Long.parseLong(text) <= Integer.MAX_VALUE
                    ? new Seen(Seen.Kind.TOMBSTONE, Integer.parseInt(text))
                    : new Seen(Seen.Kind.FOREIGN_TOMBSTONE, 0);
        }
        try {
            return new Seen(Seen.Kind.LETTER, PaymentJson.MAPPER.readTree(record.value()).path("revision").asInt(0));
        } catch (JacksonException unreadable) {
            return new Seen(Seen.Kind.LETTER, 0);
        }
    }

    private void compare(Map<String, Seen> folded) {
        var unknown = new HashMap<String, Seen>();
        var ahead = new HashMap<String, Seen>();
        folded.forEach((id, seen) -> {
            OptionalInt revision = live.revision(id);
            if (revision.isEmpty()) {
                if (seen.live()) {
                    unknown.put(id, seen);
                }
                return;
            }
            live.see(id);
            if (seen.revision > revision.getAsInt()) {
                ahead.put(id, seen);
            } else if (seen.kind == Seen.Kind.FOREIGN_TOMBSTONE) {
                add(id, "it is in the queue, but a tombstone that is not the pipeline's hides it on the topic", true);
            } else if (seen.revision < revision.getAsInt() || !seen.live()) {
                add(id, "it is in the queue at revision %d, but the topic shows it %s revision %d"
                        .formatted(revision.getAsInt(), seen.live() ? "at" : "gone at", seen.revision), true);
            }
        });
        tell(unknown, LEFT, "the topic shows it at revision %d, but it is not in the queue", true);
        tell(ahead, AHEAD, "the topic shows revision %d, which the table never had, and hides what --repair would stage: if the database "
                + "was restored from a backup, note what only the topic has, delete the topic, run chargeonce migrate, then verify "
                + "--repair", false);
    }

    private void tell(Map<String, Seen> suspects, String sql, String what, boolean repairable) {
        var ids = new ArrayList<>(suspects.keySet());
        for (int from = 0; from < ids.size() && differences.size() < limit; from += LOOK) {
            List<String> some = ids.subList(from, Math.min(ids.size(), from + LOOK));
            queue.database().withConnection(connection -> tell(connection, sql, some, suspects, what, repairable));
        }
    }

    /** It left for good a while ago, no record of that waits; or it was never there. A minute is longer than any commit takes. */
    private static final String LEFT = """
            SELECT id, CASE WHEN its.state = 'dead' OR its.state = 'unresolved' AND letter.state IS NULL THEN its.state
                            WHEN its.state IS NULL AND letter.state IS NULL THEN 'unknown' END
              FROM unnest(?::text[], ?::int[]) AS seen (id, revision)
              LEFT JOIN dead_letter AS letter ON dead_letter_id = id
              LEFT JOIN operation_state AS its ON its.operation_id = id
             WHERE (letter.state IS NULL OR letter.state <> 'dead' AND changed_at < clock_timestamp() - interval '1 minute')
               AND NOT EXISTS (SELECT FROM outbox WHERE topic = ? AND record_key = id)
            """;

    /** A tombstone would remove the last that is left of it. */
    private static final String ONLY_THERE =
            ", and neither is its payment in the database: after a restore that lost rows, this may be all "
                    + "that is left of a payment. --repair leaves it; with --drop-unknown too, --repair removes it from the topic";

    private static final String LOST = ", although its payment is %s: the table lost its letter, of which --repair leaves the topic's copy "
            + "as it is; chargeonce dlq why ID tells what happened";

    /** Nothing is published before its commit, so the table is never honestly behind. */
    private static final String AHEAD = """
            SELECT id, NULL FROM unnest(?::text[], ?::int[]) AS seen (id, revision) JOIN dead_letter ON dead_letter_id = id
             WHERE dead_letter.revision < seen.revision
               AND NOT EXISTS (SELECT FROM outbox WHERE topic = ? AND record_key = id)
            """;

    private boolean tell(Connection connection, String sql, List<String> ids, Map<String, Seen> suspects, String what, boolean repairable)
            throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
            statement.setArray(2, connection.createArrayOf("int4", ids.stream().map(id -> suspects.get(id).revision).toArray()));
            statement.setString(3, queue.topics().deadLetters());
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    String payment = result.getString(2);
                    boolean onlyThere = "unknown".equals(payment);
                    add(result.getString(1), what.formatted(suspects.get(result.getString(1)).revision)
                            + (onlyThere ? ONLY_THERE : payment == null ? "" : LOST.formatted(payment)),
                            repairable && (payment == null || onlyThere && dropUnknown));
                }
            }
        }
        return true;
    }

    private boolean tellUnseen(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(LIVE)) {
            statement.setString(1, queue.topics().deadLetters());
            statement.setFetchSize(FETCH);
            try (var result = statement.executeQuery()) {
                while (result.next() && differences.size() < limit) {
                    String id = result.getString(1);
                    if (live.isUnseen(id)) {
                        add(id, "it is in the queue, but the topic does not show it", true);
                    }
                }
            }
        }
        return true;
    }

    private void add(String id, String what, boolean repairable) {
        if (!pending.contains(id) && differences.size() < limit) {
            differences.add(new Agreement.Difference(id, what, repairable));
        }
    }
}
