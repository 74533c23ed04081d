// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.poison;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One record of a file: JSON on one line, with its bytes in base64, so that any bytes survive.
 *
 * @param kind what is wrong with it, for people
 */
public record CorpusRecord(String kind, Optional<byte[]> key, Optional<byte[]> value, List<Named> headers) {

    /** A header; Kafka allows it to have no value. */
    public record Named(String name, Optional<byte[]> value) {}

    private static final JsonMapper JSON = new JsonMapper();

    static CorpusRecord of(String kind, String key, String value, Map<String, String> headers) {
        return new CorpusRecord(kind, Optional.ofNullable(key).map(CorpusRecord::bytes),
                Optional.ofNullable(value).map(CorpusRecord::bytes),
                headers.entrySet().stream().map(header -> new Named(header.getKey(), Optional.of(bytes(header.getValue())))).toList());
    }

    /** The same with headers that have a name and nothing else. */
    CorpusRecord withEmptyHeaders(String otherKind, List<String> names) {
        return new CorpusRecord(otherKind, key, value, names.stream().map(name -> new Named(name, Optional.empty())).toList());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public String toLine() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("kind", kind);
        key.ifPresent(bytes -> fields.put("key", Base64.getEncoder().encodeToString(bytes)));
        value.ifPresent(bytes -> fields.put("value", Base64.getEncoder().encodeToString(bytes)));
        fields.put("headers", headers.stream().map(CorpusRecord::fields).toList());
        return JSON.writeValueAsString(fields);
    }

    private static Map<String, String> fields(Named header) {
        return header.value().map(value -> Map.of("name", header.name(), "value", Base64.getEncoder().encodeToString(value)))
                .orElseGet(() -> Map.of("name", header.name()));
    }

    /**
     * Also reads what {@code dlq export} writes: a poison record comes back with its key, its value and the headers that were
     * kept of it, and for a payment its request as first accepted, which is superseded by now and must change nothing.
     *
     * @throws IllegalArgumentException if the line is no record
     */
    public static CorpusRecord fromLine(String line) {
        JsonNode json = JSON.readTree(line);
        if (json.has("dead_letter_id")) {
            return exported(json);
        }
        if (!json.isObject() || !json.has("key") && !json.has("value")) {
            throw new IllegalArgumentException("not a record: it needs a key or a value, in base64");
        }
        var headers = new ArrayList<Named>();
        json.path("headers").forEach(header -> headers.add(new Named(header.path("name").asString(), decoded(header.path("value")))));
        return new CorpusRecord(json.path("kind").asString("recorded"), decoded(json.path("key")), decoded(json.path("value")), headers);
    }

    private static CorpusRecord exported(JsonNode letter) {
        String cause = letter.path("cause").asString("exported");
        if (letter.has("source")) {
            JsonNode source = letter.path("source");
            return new CorpusRecord(cause, decoded(source.path("key")), decoded(source.path("value")), kept(source.path("headers")));
        }
        String id = letter.path("dead_letter_id").asString();
        JsonNode payment = letter.path("payment");
        if (payment.path("payment_method").asString("").matches("\\*+")) {
            throw new IllegalArgumentException("its payment is masked, and would come back as another one: export it with --unmasked");
        }
        var request = new LinkedHashMap<String, Object>(Map.of("type", "payment.request", "version", 1, "payment_id",
                payment.path("payment_id").asString(id), "operation", payment.path("operation").asString("charge"), "operation_id", id,
                "step", 1,
                "merchant", letter.path("merchant").asString(""), "amount", letter.path("amount").asLong(0),
                "currency", letter.path("currency").asString("")));
        for (String field : List.of("idempotency_key", "payment_method", "customer", "reference")) {
            payment.path(field).stringValueOpt().ifPresent(value -> request.put(field, value));
        }
        return new CorpusRecord(cause, Optional.of(bytes(id)), Optional.of(bytes(JSON.writeValueAsString(request))), List.of());
    }

    /** A dead letter keeps headers as text, for people to read. */
    private static List<Named> kept(JsonNode headers) {
        var named = new ArrayList<Named>();
        decoded(headers).ifPresent(json -> JSON.readTree(json).forEach(
                header -> named.add(new Named(header.path("name").asString(), Optional.of(bytes(header.path("value").asString()))))));
        return List.copyOf(named);
    }

    private static Optional<byte[]> decoded(JsonNode node) {
        return node.isString() ? Optional.of(Base64.getDecoder().decode(node.asString())) : Optional.empty();
    }

    public ProducerRecord<byte[], byte[]> on(String topic) {
        var record = new ProducerRecord<>(topic, key.orElse(null), value.orElse(null));
        headers.forEach(header -> record.headers().add(header.name(), header.value().orElse(null)));
        return record;
    }
}
