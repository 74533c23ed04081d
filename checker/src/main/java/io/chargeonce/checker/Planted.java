package io.chargeonce.checker;

import io.chargeonce.checker.evidence.Rows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Looks for strings that must be nowhere: in records, in rows that people read, in log files and metrics. For one thread. */
final class Planted {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final byte[] SEALED = "\"sealed\"".getBytes(StandardCharsets.UTF_8);

    private final List<byte[]> needles;
    private final Findings findings;

    Planted(List<String> strings, Findings findings) {
        this.needles = strings.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
        this.findings = findings;
    }

    void lookThrough(ConsumerRecord<byte[], byte[]> record) {
        if (needles.isEmpty()) {
            return;
        }
        boolean inHeaders = Arrays.stream(record.headers().toArray()).anyMatch(header -> holds(header.value()));
        if (inHeaders || holds(record.key()) || holds(record.value()) || holds(poison(record.value()))) {
            findings.addGeneral(Invariant.NO_CARD_DATA, "a planted string is on a topic, at "
                    + Place.of(record.topic(), record.partition(), record.offset()));
        }
    }

    /** Poison's bytes on the dead-letter topic, which JSON has in base64; null in other records. */
    private static byte[] poison(byte[] value) {
        if (value == null || indexOf(value, SEALED).isEmpty()) {
            return null;
        }
        try {
            return MAPPER.readTree(value).at("/source/sealed").asString("").isEmpty() ? null : MAPPER.readTree(value).at("/source/sealed").binaryValue();
        } catch (JacksonException noJson) {
            return null;
        }
    }

    /** Every text that we keep, and the bytes of poison: they are sealed, so nothing planted shows in them. */
    private static final String TEXTS = """
            SELECT 'operation ' || operation_id AS place,
                   concat_ws(' ', payment_method, customer, reference, description, receipt_email, failure_message) AS text FROM operation_now
            UNION ALL
            SELECT 'dead letter ' || dead_letter_id,
                   concat_ws(' ', message, encode(sealed_record, 'escape'), encode(sealed_edit, 'escape')) FROM dead_letter
            UNION ALL
            SELECT 'observation of ' || psp_key, concat_ws(' ', cause, detail) FROM psp_observation
            UNION ALL
            SELECT 'audit record ' || audit_id, concat_ws(' ', reason, data) FROM audit_record
            UNION ALL
            SELECT 'key of ' || resource_id, request_params::text
              FROM idempotency_key
            """;

    void lookThrough(Rows rows) {
        if (!needles.isEmpty()) {
            rows.each(TEXTS, row -> {
                if (holds(row.getString("text").getBytes(StandardCharsets.UTF_8))) {
                    findings.addGeneral(Invariant.NO_CARD_DATA, "a planted string is stored in " + row.getString("place"));
                }
            });
        }
    }

    void lookThrough(Path log) {
        try (var lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (holds(line.getBytes(StandardCharsets.ISO_8859_1))) {
                    findings.addGeneral(Invariant.NO_CARD_DATA, "a planted string is in line %d of %s".formatted(number, log));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the log file " + log + " cannot be read: " + e.getMessage(), e);
        }
    }

    void lookThrough(URI service, String metrics) {
        if (holds(metrics.getBytes(StandardCharsets.UTF_8))) {
            findings.addGeneral(Invariant.NO_CARD_DATA, "a planted string is in the metrics at " + service);
        }
    }

    private boolean holds(byte[] text) {
        return text != null && needles.stream().anyMatch(needle -> indexOf(text, needle).isPresent());
    }

    private static Optional<Integer> indexOf(byte[] text, byte[] needle) {
        for (int start = 0; start + needle.length <= text.length; start++) {
            if (text[start] == needle[0] && Arrays.equals(text, start, start + needle.length, needle, 0, needle.length)) {
                return Optional.of(start);
            }
        }
        return Optional.empty();
    }
}
