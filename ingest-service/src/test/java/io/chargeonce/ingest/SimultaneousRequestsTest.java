// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SimultaneousRequestsTest {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @Test
    void a_hundred_simultaneous_requests_with_one_key_are_one_payment_and_one_answer() throws Exception {
        List<HttpResponse<String>> answers = allAtOnce(100, () -> world.pay(key, BODY));

        assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(202);
        assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
        assertThat(answers).filteredOn(answer -> answer.headers().firstValue("Idempotent-Replayed").isEmpty()).hasSize(1);
        assertThat(operations(key)).isOne();
    }

    @Test
    void a_merchant_that_comes_too_often_is_told_when_to_come_again_and_nothing_is_stored() {
        world.execute("UPDATE merchant SET requests_per_second = 1 WHERE merchant_id = 'initech'");
        HttpRequest request = world.payment(key, BODY).setHeader("Authorization", "Bearer test_initech").build();
        HttpResponse<String> refused = Stream.generate(() -> world.send(request)).limit(1_000)
                .filter(answer -> answer.statusCode() == 429).findFirst().orElseThrow();

        assertThat(type(refused)).isEqualTo("urn:chargeonce:problem:rate-limited");
        assertThat(refused.headers().firstValueAsLong("Retry-After")).hasValue(1);
        assertThat(refused.headers().firstValue("Idempotency-Stored")).hasValue("false");
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> world.send(request).statusCode() == 202);
        assertThat(world.pay(key, BODY).statusCode()).as("another merchant's").isEqualTo(202);
    }

    @Test
    void of_different_payloads_under_one_key_at_once_one_wins_and_the_others_learn_what_differs() throws Exception {
        var amounts = new AtomicInteger();
        List<HttpResponse<String>> answers = allAtOnce(20,
                () -> world.pay(key, Json.with(BODY, "amount", "" + amounts.incrementAndGet())));

        assertThat(answers).filteredOn(answer -> answer.statusCode() == 202).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.statusCode() == 409).hasSize(19)
                .allSatisfy(answer -> assertThat(IngestWorld.fieldsInError(answer)).containsExactly("amount"));
        assertThat(operations(key)).isOne();
    }

    @Test
    void a_key_that_the_next_release_stored_is_repeated_as_any_other() {
        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
        world.execute("UPDATE idempotency_key SET fingerprint_version = 2, fingerprint = sha256('another way') "
                + "WHERE idempotency_key = '" + key + "'");

        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(world.pay(key, Json.with(BODY, "amount", "7")).statusCode()).isEqualTo(409);
    }

    /** Another process holds the key's row uncommitted: its requests wait a while, and no other requests do. */
    @Test
    void a_key_in_use_elsewhere_is_409_while_other_requests_are_accepted() throws Exception {
        try (Connection elsewhere = world.connect(); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            elsewhere.setAutoCommit(false);
            elsewhere.createStatement().execute("""
                    INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                           request_path, resource_id)
                    VALUES ('acme', '%s', sha256('x'), 1, '/v1/payments', 'x')"""
                    .formatted(key));
            var stuck = IntStream.range(0, 50)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> world.pay(key, BODY), threads)).toList();
            assertThat(allAtOnce(50, () -> world.pay("other-" + UUID.randomUUID(), BODY)))
                    .extracting(HttpResponse::statusCode).containsOnly(202);

            // None of them can have succeeded: the row is held until the end of this block.
            assertThat(stuck).allSatisfy(answer -> {
                assertThat(answer.join().statusCode()).isEqualTo(409);
                assertThat(type(answer.join())).isEqualTo("urn:chargeonce:problem:idempotency-key-in-use");
                assertThat(answer.join().headers().firstValue("Retry-After")).hasValue("1");
                assertThat(answer.join().headers().firstValue("Idempotency-Stored")).hasValue("false");
            });
            elsewhere.rollback();
        }
        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
    }

    private static long operations(String key) {
        return world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'");
    }

    private static <T> List<T> allAtOnce(int times, Callable<T> call) throws Exception {
        var go = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> calls = IntStream.range(0, times).mapToObj(i -> threads.submit(() -> {
                go.await();
                return call.call();
            })).toList();
            go.countDown();
            var answers = new ArrayList<T>();
            for (Future<T> future : calls) {
                answers.add(future.get());
            }
            return answers;
        }
    }
}
