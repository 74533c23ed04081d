// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.wire.DeadLetterRecord;
import io.chargeonce.wire.DisputeRecord;
import io.chargeonce.wire.OutcomeRecord;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.ReceiptRecord;
import io.chargeonce.wire.SealRecord;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.WaitRecord;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The AsyncAPI document and the schemas say the same as the code. {@link DemoTest} compares them with the records of running services. */
class EventDocumentsTest {

    private static final String PAYMENT = "pay_" + "a".repeat(26);
    private static final Instant NOW = Instant.parse("2026-11-23T15:00:00.123456Z");
    private static final Topics TOPICS = new Topics("payments");
    private static EventContract contract;

    @BeforeAll
    static void read() throws IOException {
        contract = new EventContract();
    }

    private static OutcomeRecord outcome(OperationKind kind, String status) {
        return new OutcomeRecord(OutcomeRecord.TYPE, OutcomeRecord.VERSION, PAYMENT, kind.tag(), "acme", "order-1", status, 1299, "EUR",
                Optional.of("stripe"), Optional.of("pi_1"), status.equals("declined") ? Optional.of("lost_card") : Optional.empty(),
                Optional.of("order-1"), 1, 2, NOW);
    }

    private static byte[] key(OperationKind kind) {
        return (switch (kind) {
            case CHARGE -> PAYMENT;
            case REFUND -> "payment-" + PAYMENT + "-refund-line 2";
            case REVERSAL -> "attempt-k1-reversal";
            case RETURN -> "attempt-k1-return";
        }).getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> headers(OutcomeRecord record) {
        return PaymentHeaders.event(record.event(), OutcomeRecord.VERSION, "op/2/outcome", NOW).from("/chargeonce").toMap();
    }

    private static List<String> ends(OperationKind kind) {
        return switch (kind) {
            case CHARGE -> List.of("succeeded", "declined", "purged");
            // The PSP may take their success back.
            case REFUND, REVERSAL -> List.of("succeeded", "failed", "declined", "purged");
            // A return has happened already.
            case RETURN -> List.of("succeeded");
        };
    }

    private static List<String> schemasOfOutcomes() {
        return Stream.of(OperationKind.values()).flatMap(kind -> ends(kind).stream().map(end -> outcome(kind, end).event() + ".v1.json"))
                .toList();
    }

    @Test
    void each_schema_is_json_schema_2020_12_and_its_id_names_its_file() {
        var metaschema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
        assertThat(contract.schemas).hasSize(21).allSatisfy((file, schema) -> {
            assertThat(metaschema.validate(schema.toString(), InputFormat.JSON)).as(file).isEmpty();
            assertThat(schema.path("$schema").asString()).isEqualTo("https://json-schema.org/draft/2020-12/schema");
            assertThat(schema.path("$id").asString())
                    .isEqualTo("urn:chargeonce:schema:" + file.replaceFirst("\\.v(\\d+)\\.json$", ":$1"));
            assertThat(schema.path("properties").valueStream()).allMatch(property -> property.has("description"));
            assertThat(schema.has("additionalProperties")).as("a reader with an old schema accepts a new field").isFalse();
        });
    }

    @Test
    void the_schemas_have_exactly_the_fields_of_the_records() throws Exception {
        var records = new HashMap<Class<?>, List<String>>(Map.of(OutcomeRecord.class, schemasOfOutcomes(),
                PaymentRecord.class, List.of("payment.request.v1.json"), DeadLetterRecord.class, List.of("payment.dead-letter.v1.json"),
                WaitRecord.class, List.of("payment.waiting.v1.json"), SealRecord.class, List.of("audit.seal.v1.json")));
        records.put(ReceiptRecord.class, List.of("payment.receipt.v1.json"));
        records.put(DisputeRecord.class, List.of("payment.dispute.v1.json"));
        records.put(overdue(), List.of("payment.overdue.v1.json"));
        records.forEach((type, files) -> files.forEach(file -> requireSame(type, contract.schemas.get(file), file)));
        requireSame(DeadLetterRecord.Source.class, contract.schemas.get("payment.dead-letter.v1.json").at("/properties/source"), "source");
    }

    private static void requireSame(Class<?> type, JsonNode schema, String file) {
        Set<String> required = schema.path("required").valueStream().map(JsonNode::asString).collect(Collectors.toSet());
        assertThat(schema.path("properties").propertyNames()).as(file).containsExactlyInAnyOrderElementsOf(
                Arrays.stream(type.getRecordComponents()).map(EventDocumentsTest::name).toList());
        for (RecordComponent component : type.getRecordComponents()) {
            JsonNode property = schema.path("properties").path(name(component));
            boolean number = component.getType() == int.class || component.getType() == long.class
                    || component.getGenericType().getTypeName().contains("java.lang.Long");
            assertThat(property.path("type").asString("").equals("integer") || property.path("const").isInt())
                    .as("%s %s is a whole number", file, component.getName()).isEqualTo(number);
            assertThat(property.path("format").asString("").equals("date-time")).as("%s %s is a time", file, component.getName())
                    .isEqualTo(component.getGenericType().getTypeName().contains("java.time.Instant"));
            assertThat(required.contains(name(component)) || component.getType() == Optional.class)
                    .as("%s %s is always there", file, component.getName()).isTrue();
        }
    }

    private static String name(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void the_schemas_of_the_ends_differ_in_nothing_but_operation_and_status() {
        Set<JsonNode> rest = schemasOfOutcomes().stream().map(file -> {
            var properties = (ObjectNode) contract.schemas.get(file).path("properties").deepCopy();
            assertThat(properties.path("status").path("const").asString()).isEqualTo(file.split("\\.")[1]);
            properties.remove(List.of("operation", "status"));
            return (JsonNode) properties;
        }).collect(Collectors.toSet());
        assertThat(rest).hasSize(1);
    }

    @Test
    void each_end_of_each_operation_is_an_event_of_its_own() {
        for (OperationKind kind : OperationKind.values()) {
            for (String end : ends(kind)) {
                OutcomeRecord record = outcome(kind, end);
                assertThat(contract.problems("payments.outcomes", key(kind), PaymentJson.write(record), headers(record))).isEmpty();
            }
        }
    }

    @Test
    void a_field_a_header_a_key_or_a_schema_that_is_not_in_the_documents_is_found() {
        OutcomeRecord record = outcome(OperationKind.CHARGE, "succeeded");
        byte[] value = PaymentJson.write(record);
        var more = (ObjectNode) PaymentJson.MAPPER.readTree(value);
        assertThat(found(key(OperationKind.CHARGE), PaymentJson.write(more.put("colour", "red")), headers(record))).contains("colour");
        more.remove(List.of("colour", "amount"));
        assertThat(found(key(OperationKind.CHARGE), PaymentJson.write(more), headers(record))).contains("amount");
        assertThat(found("order-1".getBytes(StandardCharsets.UTF_8), value, headers(record))).contains("OperationId");
        assertThat(found(key(OperationKind.CHARGE), null, headers(record))).contains("lacks one");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "chargeonce-colour", "red"))).contains("chargeonce-colour");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_time", "yesterday"))).contains("ce_time");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_source", "two words"))).contains("ce_source");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_source", ""))).contains("ce_source");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_dataschema", "urn:chargeonce:schema:payment.succeeded:2")))
                .contains("payment.succeeded:2");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_type", "io.chargeonce.payment.lost"))).contains("payment.lost");
        assertThat(found(key(OperationKind.CHARGE), value, with(record, "ce_type", "io.chargeonce.payment.declined"))).contains("status");
    }

    private static String found(byte[] key, byte[] value, Map<String, String> headers) {
        return String.join("\n", contract.problems("payments.outcomes", key, value, headers));
    }

    private static Map<String, String> with(OutcomeRecord record, String header, String value) {
        var headers = new HashMap<>(headers(record));
        headers.put(header, value);
        return headers;
    }

    @Test
    void an_overdue_operation_and_a_seal_are_what_the_documents_say() throws Exception {
        Constructor<?> constructor = overdue().getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        Object event = constructor.newInstance("payment.overdue", 1, "over", PAYMENT, PAYMENT, "charge", 1, "acme", 1299, "EUR", NOW,
                "requests", NOW, NOW);
        Method headers = overdue().getDeclaredMethod("headers", String.class, Instant.class);
        headers.setAccessible(true);
        var texts = new HashMap<String, String>();
        ((Headers) headers.invoke(event, "https://payments.example.com/eu", NOW))
                .forEach(header -> texts.put(header.key(), new String(header.value(),
                        StandardCharsets.UTF_8)));
        assertThat(contract.problems("payments.overdue", key(OperationKind.CHARGE), PaymentJson.write(event), texts)).isEmpty();

        var seal = new SealRecord(SealRecord.TYPE, SealRecord.VERSION, 1, 1, 9, 9, "0".repeat(64), Optional.empty(), Optional.empty(),
                Optional.empty(), "2026-11-23 15:00:00.123456", "f".repeat(64));
        assertThat(contract.problems("payments.audit-seals", seal.key().getBytes(StandardCharsets.UTF_8), PaymentJson.write(seal),
                PaymentHeaders.event(SealRecord.TYPE, SealRecord.VERSION, "audit-seal-1", NOW).from("urn:payments:eu").toMap())).isEmpty();
    }

    @Test
    void the_recorded_events_of_the_examples_are_what_the_documents_say() throws IOException {
        List<String> recorded = Files.readAllLines(Repository.root().resolve("examples/recorded-outcomes.ndjson"));
        assertThat(recorded).hasSize(8).allSatisfy(line -> {
            JsonNode event = PaymentJson.MAPPER.readTree(line);
            var headers = new HashMap<String, String>();
            event.path("headers").forEachEntry((name, text) -> headers.put(name, text.asString()));
            assertThat(contract.problems("payments.outcomes", event.path("key").asString().getBytes(StandardCharsets.UTF_8),
                    PaymentJson.write(event.path("value")), headers)).isEmpty();
        });
    }

    private static Class<?> overdue() throws ClassNotFoundException {
        return Class.forName("io.chargeonce.console.witness.OverdueEvent");
    }

    @Test
    void every_topic_of_the_pipeline_is_in_the_document_with_its_settings_and_no_other() throws Exception {
        List<NewTopic> plan = new TopicPlan(TOPICS, Topics.MOST_TIERS, 12, Optional.empty()).all();
        assertThat(contract.topics()).containsExactlyInAnyOrderElementsOf(Stream.concat(plan.stream().map(NewTopic::name),
                Stream.of(TOPICS.intakePrefix() + "{merchant}")).toList());
        for (Method method : Topics.class.getDeclaredMethods()) {
            if (method.getReturnType() == String.class && method.getParameterCount() == 0 && !method.getName().matches(
                    ".*Group|.*[pP]refix|toString")) {
                assertThat(contract.topics()).contains((String) method.invoke(TOPICS));
            }
        }
        for (NewTopic topic : plan) {
            JsonNode settings = contract.channel(topic.name()).orElseThrow().at("/bindings/kafka/topicConfiguration");
            assertThat(settings.path("cleanup.policy").path(0).asString()).as(topic.name())
                    .isEqualTo(topic.configs().getOrDefault("cleanup.policy", "delete"));
            assertThat(Optional.ofNullable(topic.configs().get("retention.ms"))).as(topic.name())
                    .isEqualTo(settings.has("retention.ms") ? Optional.of(settings.path("retention.ms").asString()) : Optional.empty());
        }
    }

    @Test
    void each_reference_leads_somewhere_and_each_message_and_schema_is_referred_to() {
        List<String> references = contract.document.findValuesAsString("$ref");
        Set<String> files = new HashSet<>();
        for (String reference : references) {
            if (reference.startsWith("#")) {
                assertThat(contract.at(reference).isMissingNode()).as(reference).isFalse();
            } else {
                files.add(reference);
            }
        }
        assertThat(files.remove("openapi.yaml#/components/schemas/PaymentRequest")).isTrue();
        assertThat(files).containsExactlyInAnyOrderElementsOf(contract.schemas.keySet().stream().map(file -> "schemas/" + file).toList());
        contract.document.at("/components/messages").propertyNames()
                .forEach(message -> assertThat(references).contains("#/components/messages/" + message));
        assertThat(contract.document.at("/operations").findValuesAsString("$ref")).containsExactlyInAnyOrderElementsOf(
                contract.document.path("channels").propertyNames().stream().map(channel -> "#/channels/" + channel).toList());
    }

    @Test
    void the_page_for_people_names_every_event_and_topic() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/events.md"));
        contract.schemas.values().forEach(schema -> assertThat(page)
                .contains("`io.chargeonce." + schema.path("$id").asString().replaceAll(".*:schema:|:\\d+$", "") + "`"));
        contract.document.path("channels").forEach(channel -> assertThat(page).contains(channel.path("address").asString()));
    }
}
