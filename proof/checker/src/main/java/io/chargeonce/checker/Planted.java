// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Findings;
import io.chargeonce.checker.finding.Invariant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Looks for strings that must be nowhere: in records, in rows of every table, in log files and metrics. For one thread. */
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
            return MAPPER.readTree(value).at("/source/sealed").asString("").isEmpty() ? null
                    : MAPPER.readTree(value).at("/source/sealed").binaryValue();
        } catch (JacksonException noJson) {
            return null;
        }
    }

    /** Of each table, as one expression over a row: every column as a text, and of bytes what they would say. */
    private static final String TABLES = """
            SELECT relname AS name,
                   string_agg(format(CASE atttypid WHEN 'bytea'::regtype THEN 'encode(%I, ''escape'')' ELSE '%I::text' END, attname), ', '
                              ORDER BY attnum) AS columns,
                   (array_agg(attname ORDER BY attnum))[1] AS first
              FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
             WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'operation'::regclass) AND relkind IN ('r', 'p') AND NOT \
            relispartition
               AND relname NOT LIKE 'flyway%'
             GROUP BY relname
            """;

    /** Every table there is, sealed bytes too: nothing planted shows in them. */
    void lookThrough(DatabaseRows rows) {
        if (needles.isEmpty()) {
            return;
        }
        var tables = new TreeMap<String, String>();
        rows.each(TABLES,
                table -> tables.put(table.getString("name"), "SELECT \"%s\"::text AS place, concat_ws(' ', %s) AS text FROM \"%s\""
                        .formatted(table.getString("first"), table.getString("columns"), table.getString("name"))));
        tables.forEach((table, texts) -> rows.each(texts, row -> {
            if (holds(row.getString("text").getBytes(StandardCharsets.UTF_8))) {
                findings.addGeneral(Invariant.NO_CARD_DATA, "a planted string is stored in %s %s".formatted(table, row.getString("place")));
            }
        }));
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
