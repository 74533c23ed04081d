// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.evidence.Sources;
import io.chargeonce.checker.finding.Event;
import io.chargeonce.checker.finding.Violation;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Gathers everything that any source knows about the payments with a violation, in order of time, {@link Masked}. Reads all of it
 * again.
 */
final class Timelines {

    private static final int MOST_SUBJECTS = 100;
    private static final int LONGEST_VALUE = 1_500;
    /** Columns of bytes say little to people, and one of them may be a megabyte. */
    private static final String ROWS = """
            SELECT resource_id AS subject, created_at AS at, 'idempotency key' AS source,
                   to_jsonb(k)::text AS what
              FROM idempotency_key AS k WHERE resource_id = ANY (?)
            """;
    private static final String OPERATIONS = """
            SELECT operation_id AS subject, accepted_at AS at, 'operation' AS source, to_jsonb(o)::text AS what
              FROM operation_now AS o WHERE operation_id = ANY (?)
            """;
    private static final String ATTEMPTS = """
            SELECT operation_id AS subject, sent_at AS at, 'attempt' AS source,
                   (to_jsonb(a) - 'request' - 'request_sha256')::text AS what
              FROM payment_attempt AS a WHERE operation_id = ANY (?)
            """;
    private static final String OBSERVATIONS = """
            SELECT operation_id AS subject, observed_at AS at, 'observation' AS source, to_jsonb(o)::text AS what
              FROM psp_answer AS o JOIN payment_attempt USING (psp_key) WHERE operation_id = ANY (?)
            """;
    private static final String AUDIT = """
            SELECT resource_id AS subject, at, 'audit' AS source, to_jsonb(a)::text AS what
              FROM audit_record AS a WHERE resource_id = ANY (?)
            """;
    private static final String DISPUTES = """
            SELECT payment_id AS subject, changed_at AS at, 'dispute' AS source, to_jsonb(d)::text AS what
              FROM dispute AS d WHERE payment_id = ANY (?)
            """;
    private static final String LETTERS = """
            SELECT dead_letter_id AS subject, changed_at AS at, 'dead letter' AS source,
                   (to_jsonb(d) - 'sealed_record' - 'sealed_edit')::text AS what
              FROM dead_letter AS d WHERE dead_letter_id = ANY (?)
            """;
    private static final String STAGED = """
            SELECT record_key AS subject, staged_at AS at, 'outbox' AS source,
                   (to_jsonb(o) - 'value' - 'raw_key' - 'raw_headers')::text AS what
              FROM outbox AS o WHERE record_key = ANY (?)
            """;

    private final Map<String, List<Event>> events = new LinkedHashMap<>();

    private Timelines(Set<String> subjects) {
        subjects.forEach(id -> events.put(id, new ArrayList<>()));
    }

    static Map<String, List<Event>> of(CheckEvidence evidence, Sources sources, List<Violation> violations) {
        var subjects = new LinkedHashSet<String>();
        violations.stream().flatMap(violation -> violation.subject().stream()).distinct().limit(MOST_SUBJECTS).forEach(subjects::add);
        if (subjects.isEmpty()) {
            return Map.of();
        }
        var timelines = new Timelines(subjects);
        timelines.readRows(sources);
        timelines.readTopics(evidence, sources);
        sources.eachMovement(timelines::movement);
        timelines.events.values().forEach(list -> list.sort(Comparator.comparing(Event::at)));
        return timelines.events;
    }

    private void readRows(Sources sources) {
        Object[] ids = events.keySet().toArray();
        try (var rows = DatabaseRows.open(sources)) {
            for (String sql : List.of(ROWS, OPERATIONS, ATTEMPTS, OBSERVATIONS, AUDIT, DISPUTES, LETTERS, STAGED)) {
                rows.each(sql, ids, row -> events.get(row.getString("subject")).add(new Event(
                        row.getObject("at", OffsetDateTime.class).toInstant(), row.getString("source"),
                        Masked.json(row.getString("what")))));
            }
        }
    }

    private void readTopics(CheckEvidence evidence, Sources sources) {
        try (var topics = sources.topics()) {
            Checker.topics(evidence).forEach(topic -> topics.each(topic, this::record));
        }
    }

    private void record(ConsumerRecord<byte[], byte[]> record) {
        List<Event> list = record.key() == null ? null : events.get(new String(record.key(), StandardCharsets.UTF_8));
        if (list != null) {
            list.add(new Event(Instant.ofEpochMilli(record.timestamp()),
                    Place.of(record.topic(), record.partition(), record.offset()), text(record)));
        }
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        var headers = new HashMap<String, String>();
        record.headers().forEach(header -> headers.put(header.key(), brief(text(header.value()))));
        return headers + " " + (record.value() == null ? "null" : brief(Masked.json(text(record.value()))));
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String brief(String text) {
        return text.length() > LONGEST_VALUE ? text.substring(0, LONGEST_VALUE) + "…" : text;
    }

    private void movement(String psp, JsonNode movement) {
        List<Event> list = events.get(movement.path("metadata").path("payment_id").asString(movement.path("id").asString()));
        if (list != null) {
            list.add(new Event(Instant.parse(movement.path("at").asString("1970-01-01T00:00:00Z")), "ledger of " + psp,
                    Masked.json(movement.toString())));
        }
    }

    /** Hides how and by whom a payment is paid: no invariant is about that, and a report is pasted into tickets. */
    private static final class Masked {

        private static final Set<String> HIDDEN =
                Set.of("payment_method", "paymentMethod", "card", "customer", "shopperEmail", "description",
                        "receipt_email");
        private static final JsonNode MASK = StringNode.valueOf("****");
        private static final JsonMapper JSON = new JsonMapper();

        private Masked() {}

        /** What is no JSON may be anything, so only its length is said. */
        static String json(String text) {
            try {
                return JSON.writeValueAsString(masked(JSON.readTree(text)));
            } catch (JacksonException notJson) {
                return "%d characters that are no JSON".formatted(text.length());
            }
        }

        private static JsonNode masked(JsonNode node) {
            switch (node) {
                case ObjectNode fields -> fields.propertyNames().stream().toList()
                        .forEach(name -> fields.set(name, HIDDEN.contains(name) ? hidden(fields.get(name)) : masked(fields.get(name))));
                case ArrayNode items -> {
                    for (int i = 0; i < items.size(); i++) {
                        items.set(i, masked(items.get(i)));
                    }
                }
                case StringNode string when string.stringValue().startsWith("{") -> {
                    return StringNode.valueOf(json(string.stringValue()));
                }
                default -> {
                    return node;
                }
            }
            return node;
        }

        private static JsonNode hidden(JsonNode value) {
            return value.isNull() ? value : MASK;
        }
    }
}
