// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DuplicateGuardTest {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();
    /** Everyone has a purchase of his own. */
    private final String body = Json.with(BODY, "reference", '"' + key + '"');

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static HttpRequest.Builder payment(int port, String key, String body) {
        return IngestWorld.request(port, "/v1/payments").setHeader("Authorization", "Bearer test_hooli")
                .header("Content-Type", "application/json").header("Idempotency-Key", key).POST(BodyPublishers.ofString(body));
    }

    private static HttpResponse<String> pay(String key, String body) {
        return world.send(payment(world.service.port(), key, body).build());
    }

    private long rows(String table, String column) {
        return world.count("SELECT count(*) FROM " + table + " WHERE " + column + " LIKE '" + key + "%'");
    }

    @Test
    void another_key_for_the_same_purchase_is_a_second_click() {
        HttpResponse<String> first = pay(key, body);
        HttpResponse<String> second = pay(key + "-2", body);

        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(type(second)).isEqualTo("urn:chargeonce:problem:duplicate-suspected");
        assertThat(second.headers().firstValue("Link"))
                .hasValue("<" + first.headers().firstValue("Location").orElseThrow() + ">; rel=\"duplicate\"");
        assertThat(Json.text(second.body(), "payment")).isEqualTo(first.headers().firstValue("Location").orElseThrow());
        assertThat(second.headers().firstValue("Idempotency-Stored")).hasValue("false");
        assertThat(rows("idempotency_key", "idempotency_key")).isOne();
        assertThat(rows("operation", "idempotency_key")).isOne();
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE data ->> 'reference' = '" + key + "'")).isOne();
        assertThat(world.count("SELECT count(*) FROM outbox_to_relay WHERE idempotency_key = '" + key + "-2'")).isZero();
    }

    @Test
    void a_repeat_of_the_first_is_no_second_click() {
        pay(key, body);

        assertThat(pay(key, body).headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(type(pay(key, Json.with(body, "amount", "5")))).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        assertThat(pay(key + "-5", Json.with(body, "amount", "5")).statusCode()).isEqualTo(202);
    }

    @Test
    void who_says_that_it_is_a_purchase_of_its_own_is_believed() {
        pay(key, body);
        HttpResponse<String> instalment =
                world.send(payment(world.service.port(), key + "-2", body).header("Duplicate-Guard", "off").build());
        HttpResponse<String> nonsense =
                world.send(payment(world.service.port(), key + "-3", body).header("Duplicate-Guard", "maybe").build());

        assertThat(instalment.statusCode()).isEqualTo(202);
        assertThat(type(nonsense)).isEqualTo("urn:chargeonce:problem:duplicate-guard-invalid");
    }

    @Test
    void a_purchase_is_free_again_when_the_window_is_over() {
        pay(key, body);
        world.execute("UPDATE duplicate_guard SET until = now() - interval '1 second' WHERE payment_id = "
                + "(SELECT resource_id FROM idempotency_key WHERE idempotency_key = '" + key + "')");

        assertThat(pay(key + "-2", body).statusCode()).isEqualTo(202);
        assertThat(pay(key + "-3", body).statusCode()).isEqualTo(409);
    }

    @Test
    void a_purchase_is_free_again_when_its_payment_is_canceled() {
        String first = Json.text(pay(key, body).body(), "id");
        assertThat(pay(key + "-2", body).statusCode()).isEqualTo(409);
        HttpResponse<String> canceled = world.send(IngestWorld.request(world.service.port(), "/v1/payments/" + first + "/cancel")
                .setHeader("Authorization", "Bearer test_hooli").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}")).build());
        assertThat(Json.text(canceled.body(), "status")).isEqualTo("canceled");

        assertThat(pay(key + "-2", body).statusCode()).isEqualTo(202);
        assertThat(pay(key + "-3", body).statusCode()).isEqualTo(409);
    }

    @Test
    void the_window_is_the_merchants_own() {
        pay(key, body);
        assertThat(world.count("SELECT extract(epoch FROM until - now()) FROM duplicate_guard ORDER BY until DESC LIMIT 1"))
                .isBetween(3_500L, 3_600L);

        assertThat(world.pay(key, body).statusCode()).isEqualTo(202);
        assertThat(world.pay(key + "-2", body).statusCode()).isEqualTo(202);
    }

    @Test
    void another_merchant_may_sell_the_same() {
        pay(key, body);

        assertThat(
                world.send(payment(world.service.port(), key, body).setHeader("Authorization", "Bearer test_initech").build()).statusCode())
                .isEqualTo(202);
    }

    @Test
    void of_fifty_keys_for_one_purchase_on_two_processes_exactly_one_is_accepted() throws IOException {
        try (var other = world.startProcess(); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            // One that has just begun is slow, and would not meet the first.
            IntStream.range(0, 50).forEach(i -> world.send(
                    payment(other.port(), UUID.randomUUID().toString(), Json.with(body, "reference", "\"warm " + i + '"')).build()));
            List<HttpResponse<String>> answers = IntStream.range(0, 50)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> world.send(
                            payment(i % 2 == 0 ? world.service.port() : other.port(), key + "-" + i, body).build()), threads))
                    .toList().stream().map(CompletableFuture::join).toList();

            assertThat(answers).filteredOn(answer -> answer.statusCode() == 202).hasSize(1);
            assertThat(answers).filteredOn(answer -> answer.statusCode() != 202).hasSize(49)
                    .allSatisfy(answer -> assertThat(answer.statusCode()).isEqualTo(409));
        }
        assertThat(rows("operation", "idempotency_key")).isOne();
        assertThat(rows("idempotency_key", "idempotency_key")).isOne();
    }

    @Test
    void a_batch_is_guarded_line_by_line() {
        String lines = IntStream.range(0, 20).mapToObj(i -> Json.with(body, "idempotency_key", '"' + key + "-" + i + '"'))
                .reduce((all, line) -> all + "\n" + line).orElseThrow();
        HttpResponse<String> answer = world.send(world.request("/v1/payments/batch").setHeader("Authorization", "Bearer test_hooli")
                .header("Content-Type", "application/x-ndjson").POST(BodyPublishers.ofString(lines)).build());

        assertThat(answer.body().lines()).filteredOn(line -> Json.text(line, "status").equals("202")).hasSize(1);
        assertThat(rows("operation", "idempotency_key")).isOne();
    }
}
