// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.http.Answer;
import io.chargeonce.wire.PaymentJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The JSON Schemas of the records on Kafka: files beside this class, each for one type of event and one version. */
final class EventSchemas {

    static final String PATH = "/schemas";

    private static final List<String> FILES = List.of("payment.succeeded.v1", "payment.declined.v1", "payment.purged.v1",
            "payment.canceled.v1",
            "refund.succeeded.v1", "refund.failed.v1", "refund.declined.v1", "refund.purged.v1", "reversal.succeeded.v1",
            "reversal.failed.v1", "reversal.declined.v1", "reversal.purged.v1", "return.succeeded.v1", "payment.request.v1",
            "payment.dead-letter.v1", "payment.waiting.v1",
            "payment.dispute.v1", "payment.receipt.v1", "payment.overdue.v1", "payment.refused.v1", "audit.seal.v1");

    private static final Map<String, Answer> ALL = new LinkedHashMap<>();
    private static final Answer LIST;

    static {
        FILES.forEach(file -> ALL.put(file + ".json", read(file + ".json")));
        LIST = answer("application/json", PaymentJson.write(Map.of("schemas", ALL.entrySet().stream().map(schema -> Map.of(
                "dataschema", PaymentJson.MAPPER.readTree(schema.getValue().body()).path("$id").asString(),
                "path", PATH + "/" + schema.getKey())).toList())));
    }

    private EventSchemas() {}

    private static Answer read(String file) {
        try (InputStream in = EventSchemas.class.getResourceAsStream("schemas/" + file)) {
            return answer("application/schema+json", in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer answer(String type, byte[] body) {
        return new Answer(200, Map.of("Content-Type", type), body, "document");
    }

    /** Says where the schema is that a record names in {@code ce_dataschema}. */
    static Answer list() {
        return LIST;
    }

    /** @param file such as {@code payment.succeeded.v1.json} */
    static Optional<Answer> find(String file) {
        return Optional.ofNullable(ALL.get(file));
    }
}
