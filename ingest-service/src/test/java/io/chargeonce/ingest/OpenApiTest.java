// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.chargeonce.ingest.reading.PaymentStatus;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The document that is served is true: what the service really answers is what the document says it may. */
class OpenApiTest {

    private static final String HERE = "https://chargeonce.test/openapi";
    private static IngestWorld world;
    private static JsonNode document;
    private static SchemaRegistry schemas;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
        String served = world.get("/openapi.yaml").body();
        document = new YAMLMapper().readTree(served);
        schemas = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12,
                registry -> registry.schemas(Map.of(HERE, document.toString())));
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static void requireTrue(String method, String path, HttpResponse<String> answer) {
        JsonNode response = resolved(document.at("/paths/" + path.replace("/", "~1") + "/" + method + "/responses/" + answer.statusCode()));
        assertThat(response.isObject()).as("%s %s may answer %d", method, path, answer.statusCode()).isTrue();
        String type = answer.headers().firstValue("Content-Type").orElseThrow();
        JsonNode schema = response.path("content").path(type).path("schema");
        assertThat(schema.isObject()).as("%s %s answers %d in %s", method, path, answer.statusCode(), type).isTrue();
        Stream<String> bodies = type.endsWith("ndjson") ? answer.body().lines() : Stream.of(answer.body());
        assertThat(bodies).allSatisfy(body -> assertThat(problems(schema.path("$ref").asString(), body)).as(body).isEmpty());
    }

    private static JsonNode resolved(JsonNode node) {
        String reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : document.at(reference.substring(1));
    }

    private static List<String> problems(String reference, String json) {
        return schemas.getSchema(SchemaLocation.of(HERE + reference)).validate(json, InputFormat.JSON).stream()
                .map(Object::toString).toList();
    }

    @Test
    void the_document_is_openapi_3_1_and_the_file_in_the_repository() throws Exception {
        assertThat(document.path("openapi").asString()).isEqualTo("3.1.0");
        HttpResponse<String> served = world.get("/openapi.yaml");
        assertThat(served.headers().firstValue("Content-Type")).hasValue("application/yaml");
        assertThat(served.body().getBytes()).isEqualTo(Documents.class.getResourceAsStream("openapi.yaml").readAllBytes());
    }

    @Test
    void every_reference_in_it_leads_somewhere() {
        assertThat(document.findValuesAsString("$ref")).isNotEmpty()
                .allSatisfy(reference -> assertThat(document.at(reference.substring(1)).isMissingNode()).as(reference).isFalse());
    }

    @Test
    void what_a_payment_is_answered_with_is_what_it_says() {
        HttpResponse<String> first = world.pay(key, BODY);
        requireTrue("post", "/v1/payments", first);
        requireTrue("post", "/v1/payments", world.pay(key, BODY));
        requireTrue("post", "/v1/payments", world.pay(key, Json.with(BODY, "amount", "7")));
        requireTrue("post", "/v1/payments", world.pay("two words", BODY));
        requireTrue("post", "/v1/payments", world.pay(key + 2, "{\"amount\": -1, \"x\": 1}"));
        requireTrue("post", "/v1/payments", world.pay(key + 3, " ".repeat(70_000)));
        requireTrue("post", "/v1/payments", world.send(world.payment(key, BODY).setHeader("Content-Type", "text/plain").build()));
        requireTrue("post", "/v1/payments", world.send(world.payment(key, BODY).setHeader("Authorization", "Bearer no").build()));
        String path = first.headers().firstValue("Location").orElseThrow();
        requireTrue("get", "/v1/payments/{id}", world.get(path));
        requireTrue("get", "/v1/payments/{id}", world.get("/v1/payments/pay_x"));
        world.become(key, "state = 'declined', sequence = 1, psp_reference = 'pi_1', failure_cause = 'lost_card', settled_at = now()");
        requireTrue("get", "/v1/payments/{id}", world.get(path));
        requireTrue("post", "/v1/payments", world.send(world.payment(key, BODY).header("Prefer", "wait=5").build()));
        world.become(key, "state = 'purged', failure_cause = NULL, psp_reference = NULL");
        requireTrue("get", "/v1/payments/{id}", world.get(path));
        requireTrue("post", "/v1/payments", world.pay(key, BODY));
    }

    @Test
    void a_second_click_and_the_success_that_was_waited_for_are_what_it_says() {
        var payment = world.payment(key, BODY).setHeader("Authorization", "Bearer test_initech");
        HttpResponse<String> first = world.send(payment.build());
        requireTrue("post", "/v1/payments", first);
        requireTrue("post", "/v1/payments", world.send(payment.setHeader("Idempotency-Key", key + 2).build()));
        world.become(key, "state = 'succeeded', settled_at = now()");
        requireTrue("post", "/v1/payments",
                world.send(payment.setHeader("Idempotency-Key", key).setHeader("Prefer", "wait=5").build()));
    }

    @Test
    void refunds_are_what_it_says() {
        String path = world.pay(key, BODY).headers().firstValue("Location").orElseThrow();
        var refund = world.request(path + "/refunds").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"amount\": 500, \"reference\": \"line-2\"}"));
        HttpResponse<String> first = world.send(refund.build());
        requireTrue("post", "/v1/payments/{id}/refunds", first);
        requireTrue("post", "/v1/payments/{id}/refunds", world.send(refund.build()));
        requireTrue("post", "/v1/payments/{id}/refunds", world.send(refund.POST(BodyPublishers.ofString("{\"amount\": 0}")).build()));
        requireTrue("post", "/v1/payments/{id}/refunds", world.send(refund.POST(BodyPublishers.ofString("{\"amount\": 9999}")).build()));
        requireTrue("get", "/v1/payments/{id}/refunds", world.get(path + "/refunds"));
        requireTrue("get", "/v1/payments/{id}/refunds/{refund}", world.get(first.headers().firstValue("Location").orElseThrow()));
        requireTrue("get", "/v1/payments/{id}/refunds/{refund}", world.get(path + "/refunds/x"));
        requireTrue("get", "/v1/payments/{id}", world.get(path));
    }

    @Test
    void pages_and_batches_are_what_it_says() {
        world.pay(key, Json.with(BODY, "reference", '"' + key + '"'));
        world.pay(key + 2, Json.with(BODY, "reference", '"' + key + '"'));
        requireTrue("get", "/v1/payments", world.get("/v1/payments?limit=1&reference=" + key));
        requireTrue("get", "/v1/payments", world.get("/v1/payments"));
        String lines =
                String.join("\n", Json.with(BODY, "idempotency_key", "\"b\""), "{}", Json.with(BODY, "idempotency_key", "\"b\""), "x");
        requireTrue("post", "/v1/payments/batch", world.send(world.request("/v1/payments/batch")
                .header("Content-Type", "application/x-ndjson").POST(BodyPublishers.ofString(lines)).build()));
        requireTrue("post", "/v1/payments/batch", world.send(world.request("/v1/payments/batch")
                .header("Content-Type", "text/csv").POST(BodyPublishers.ofString(lines)).build()));
    }

    @Test
    void payment_methods_are_what_it_says() {
        String all = "/v1/payment_methods";
        var store = world.request(all).header("Content-Type", "application/json").header("Idempotency-Key", key);
        HttpResponse<String> stored = world.send(store.POST(BodyPublishers.ofString(PaymentMethodsTest.BODY)).build());
        requireTrue("post", all, stored);
        requireTrue("post", all, world.send(store.build()));
        requireTrue("post", all, world.send(store.POST(BodyPublishers.ofString("{}")).build()));
        requireTrue("post", all, world.send(store.POST(BodyPublishers.ofString(PaymentMethodsTest.BODY.replace("jane", "joe"))).build()));
        requireTrue("get", all, world.get(all + "?customer=jane"));
        requireTrue("get", all, world.get(all));
        String one = stored.headers().firstValue("Location").orElseThrow();
        requireTrue("get", all + "/{id}", world.get(one));
        requireTrue("delete", all + "/{id}", manage("DELETE", one, ""));
        requireTrue("get", all + "/{id}", world.get(one));
        requireTrue("delete", all + "/{id}", manage("DELETE", all + "/x", ""));
    }

    @Test
    void webhook_endpoints_are_what_it_says() {
        String all = "/v1/webhook-endpoints";
        HttpResponse<String> added = manage("POST", all, "{\"url\": \"https://hooks.example/\"}");
        requireTrue("post", all, added);
        requireTrue("post", all, manage("POST", all, "{\"url\": \"http://hooks.example/\"}"));
        requireTrue("get", all, world.get(all));
        String one = added.headers().firstValue("Location").orElseThrow();
        requireTrue("get", all + "/{id}", world.get(one));
        requireTrue("post", all + "/{id}/rotate", manage("POST", one + "/rotate", "{}"));
        HttpResponse<String> test = manage("POST", one + "/test", "");
        requireTrue("post", all + "/{id}/test", test);
        requireTrue("get", all + "/{id}/deliveries", world.get(one + "/deliveries"));
        requireTrue("get", all + "/{id}/deliveries", world.get(one + "/deliveries?limit=x"));
        String webhook = Json.text(test.body(), "webhook_id");
        requireTrue("post", all + "/{id}/deliveries/{webhook}/redeliver",
                manage("POST", one + "/deliveries/" + webhook + "/redeliver", ""));
        requireTrue("post", all + "/{id}/redeliver", manage("POST", one + "/redeliver", ""));
        requireTrue("post", all + "/{id}/redeliver", manage("POST", one + "/redeliver?since=2026-01-01T00:00:00Z", ""));
        requireTrue("post", all + "/{id}/redeliver", manage("POST", one + "/redeliver?since=soon", ""));
        requireTrue("post", all + "/{id}/disable", manage("POST", one + "/disable", ""));
        requireTrue("post", all + "/{id}/redeliver", manage("POST", one + "/redeliver", ""));
        requireTrue("post", all + "/{id}/enable", manage("POST", one + "/enable", ""));
        requireTrue("delete", all + "/{id}", manage("DELETE", one, ""));
        requireTrue("delete", all + "/{id}", manage("DELETE", one, ""));
        String payment = world.pay(key, BODY).headers().firstValue("Location").orElseThrow();
        requireTrue("get", "/v1/payments/{id}/deliveries", world.get(payment + "/deliveries"));
        requireTrue("get", "/v1/payments/{id}/deliveries", world.get("/v1/payments/pay_x/deliveries"));
    }

    @Test
    void what_webhooks_say_is_what_it_says() {
        String all = "/v1/webhook-endpoints";
        String going = Json.text(manage("POST", all, "{\"url\": \"https://going.example/\"}").body(), "id");
        String staying = Json.text(manage("POST", all, "{\"url\": \"https://staying.example/\"}").body(), "id");
        manage("POST", all + "/" + staying + "/test", "");
        for (String end : List.of("state = 'succeeded'", "state = 'declined', failure_cause = 'lost_card'", "state = 'purged'")) {
            String one = "key-" + UUID.randomUUID();
            String payment = Json.text(world.pay(one, BODY).body(), "id");
            world.become(one, end + ", step = 2, settled_at = clock_timestamp()");
            world.execute("SELECT stage_webhooks(ARRAY['" + payment + "'])");
        }
        world.execute("UPDATE webhook_endpoint SET failing_since = now(), failed_at = now() WHERE endpoint_id = '" + going + "'; "
                + "SELECT disable_gone_endpoints(ARRAY['" + going + "'])");
        world.execute("UPDATE webhook_endpoint SET failing_since = now() - interval '2 hours', failed_at = now() WHERE endpoint_id = '"
                + staying + "'; SELECT end_failure_of_endpoints(ARRAY['" + staying + "'])");
        List<String> bodies = world.texts("SELECT body FROM webhook_delivery WHERE endpoint_id = '" + staying + "'");
        assertThat(bodies).extracting(body -> Json.text(body, "type")).containsExactlyInAnyOrder("payment.succeeded", "payment.declined",
                "payment.purged", "endpoint.test", "endpoint.disabled", "endpoint.recovered");
        assertThat(bodies).allSatisfy(body -> assertThat(problems(
                document.at("/webhooks/event/post/requestBody/content/application~1json/schema/$ref").asString(), body)).as(body)
                .isEmpty());
        assertThat(problems("#/components/schemas/WebhookEvent", bodies.getFirst().replace("\"data\"", "\"date\""))).isNotEmpty();
    }

    private static HttpResponse<String> manage(String method, String path, String body) {
        return world.send(world.request(path).header("Content-Type", "application/json").method(method, BodyPublishers.ofString(body))
                .build());
    }

    /** A request that the document allows is accepted, and one that it forbids is not. */
    @Test
    void what_may_be_sent_is_what_it_says() {
        var bodies = new ArrayList<>(List.of(BODY, "{\"amount\":1,\"currency\":\"EUR\",\"payment_method\":\"pm\"}",
                "{\"amount\":0,\"currency\":\"EUR\",\"payment_method\":\"pm\"}", "{\"currency\":\"EUR\",\"payment_method\":\"pm\"}"));
        for (String value : List.of("\"\"", "7", "\"" + "x".repeat(501) + "\"", "\"" + "x".repeat(500) + "\"",
                "\"" + "😀".repeat(251) + "\"", "\"" + "😀".repeat(500) + "\"", "\"" + "😀".repeat(501) + "\"")) {
            bodies.add(Json.with(BODY, "customer", value));
        }
        bodies.add(Json.with(BODY, "colour", "\"red\""));
        bodies.add(Json.with(BODY, "rail", "\"card\""));
        bodies.add(Json.with(BODY, "initiator", "\"scheduled\""));
        bodies.add(Json.with(BODY, "initiator", "\"nobody\""));
        bodies.add(Json.with(BODY, "rail", "\"cash\""));
        for (String body : bodies) {
            boolean allowed = problems("#/components/schemas/PaymentRequest", body).isEmpty();
            assertThat(world.pay("sent-" + UUID.randomUUID(), body).statusCode()).as(body).isEqualTo(allowed ? 202 : 400);
        }
    }

    @Test
    void the_documents_about_kafka_lead_to_each_other_as_they_do_in_the_repository() throws Exception {
        HttpResponse<String> served = world.get("/asyncapi.yaml");
        assertThat(served.headers().firstValue("Content-Type")).hasValue("application/yaml");
        assertThat(served.body().getBytes()).isEqualTo(Documents.class.getResourceAsStream("asyncapi.yaml").readAllBytes());

        JsonNode listed = new JsonMapper().readTree(world.get("/schemas").body()).path("schemas");
        assertThat(listed).hasSize(21).allSatisfy(schema -> {
            HttpResponse<String> answer = world.get(schema.path("path").asString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/schema+json");
            assertThat(new JsonMapper().readTree(answer.body()).path("$id").asString()).isEqualTo(schema.path("dataschema").asString());
        });
        Stream<String> files = new YAMLMapper().readTree(served.body()).findValuesAsString("$ref").stream()
                .filter(reference -> !reference.startsWith("#")).map(reference -> "/" + reference.replaceFirst("#.*", ""));
        assertThat(files.toList()).as("21 schemas and openapi.yaml").hasSize(22)
                .allSatisfy(file -> assertThat(world.get(file).statusCode()).as(file).isEqualTo(200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/schemas/", "/schemas/x", "/schemas/payment.succeeded.v2.json", "/schemas/..%2fopenapi.yaml",
        "/schemas/%2e%2e/openapi.yaml", "/schemas/payment.succeeded.v1.json/x", "/schemas/payment.succeeded.v1.json%00"})
    void what_is_no_schema_is_not_found(String path) {
        assertThat(world.get(path).statusCode()).isIn(400, 404);
    }

    @Test
    void there_is_a_page_for_people_that_names_every_request_and_status() {
        HttpResponse<String> page = world.get("/");

        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.body()).contains("/openapi.yaml");
        String text = page.body().replaceAll("<[^>]*>", "");
        assertThat(text).contains("POST /v1/payments", "POST /v1/payments/batch", "GET /v1/payments/{id}", "GET /v1/payments?reference=",
                "POST /v1/payment_methods", "GET /v1/payment_methods?customer=",
                "POST /v1/payments/{id}/cancel", "POST /v1/payments/{id}/refunds", "GET /v1/payments/{id}/refunds", "/refunds/{refund}",
                "POST /v1/webhook-endpoints",
                "GET /v1/webhook-endpoints/{id}/deliveries", "GET /v1/payments/{id}/deliveries");
        assertThat(PaymentStatus.values()).allSatisfy(status -> assertThat(text).contains(status.tag()));
    }
}
