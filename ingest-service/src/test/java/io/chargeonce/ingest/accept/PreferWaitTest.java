// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.Json;
import io.chargeonce.ingest.reading.AwaitedOutcomes;
import io.chargeonce.payment.PaymentId;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PreferWaitTest {

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

    private HttpResponse<String> payAndWait(String preference) {
        return world.send(world.payment(key, BODY).header("Prefer", preference).build());
    }

    private void settle(String state, String cause) {
        Awaitility.await().until(() -> world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'") == 1);
        world.become(key, "state = '%s', failure_cause = %s, settled_at = now()".formatted(state, cause));
    }

    @Test
    void who_waits_for_a_success_gets_the_payment() {
        var answer = CompletableFuture.supplyAsync(() -> payAndWait("respond-async, wait=25"));
        settle("succeeded", "NULL");

        assertThat(answer.join().statusCode()).isEqualTo(200);
        assertThat(Json.text(answer.join().body(), "status")).isEqualTo("succeeded");
        assertThat(answer.join().headers().firstValue("Preference-Applied")).hasValue("wait=25");
        assertThat(answer.join().headers().firstValue("Location"))
                .hasValueSatisfying(path -> assertThat(world.get(path).body()).isEqualTo(answer.join().body()));
    }

    @Test
    void who_names_no_number_waits_for_up_to_half_a_minute() {
        var answer = CompletableFuture.supplyAsync(() -> payAndWait("wait"));
        settle("succeeded", "NULL");

        assertThat(answer.join().statusCode()).isEqualTo(200);
        assertThat(answer.join().headers().firstValue("Preference-Applied")).hasValue("wait=30");
    }

    @Test
    void who_waits_for_a_decline_gets_402_and_what_is_replayed_is_the_acceptance() {
        var answer = CompletableFuture.supplyAsync(() -> payAndWait("wait=25"));
        settle("declined", "'insufficient_funds'");

        assertThat(answer.join().statusCode()).isEqualTo(402);
        assertThat(type(answer.join())).isEqualTo("urn:chargeonce:problem:card-declined");
        assertThat(answer.join().body()).contains("insufficient_funds");
        assertThat(answer.join().headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
        assertThat(payAndWait("wait=5").statusCode()).isEqualTo(402);
    }

    @Test
    void who_waits_for_a_payment_that_is_canceled_gets_409_and_what_is_replayed_is_the_acceptance() {
        var answer = CompletableFuture.supplyAsync(() -> payAndWait("wait=25"));
        Awaitility.await().until(() -> world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'") == 1);
        world.become(key, "state = 'canceled', cancel_requested_at = now()");

        assertThat(answer.join().statusCode()).isEqualTo(409);
        assertThat(type(answer.join())).isEqualTo("urn:chargeonce:problem:payment-canceled");
        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
        assertThat(payAndWait("wait=5").statusCode()).isEqualTo(409);
    }

    @Test
    void who_waited_in_vain_gets_the_acceptance() {
        HttpResponse<String> answer = payAndWait("wait=1");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.headers().firstValue("Preference-Applied")).hasValue("wait=1");
    }

    @Test
    void a_refused_request_is_not_waited_for() {
        world.pay(key, Json.with(BODY, "amount", "1"));

        assertThat(payAndWait("wait=25").statusCode()).isEqualTo(409);
    }

    @Test
    @Timeout(60)
    void while_all_seats_are_taken_nobody_else_waits() throws InterruptedException {
        try (var database = Database.openForCommand("jdbc:postgresql://127.0.0.1:1/x", "postgres", "")) {
            var outcomes = new AwaitedOutcomes(database, 1);
            Thread seated =
                    Thread.ofPlatform().start(() -> outcomes.await("one", new PaymentId("pay_" + "a".repeat(26)), Duration.ofHours(1)));
            Awaitility.await().until(() -> seated.getState() == Thread.State.TIMED_WAITING);

            assertThat(outcomes.await("other", new PaymentId("pay_" + "b".repeat(26)), Duration.ofHours(1))).isEmpty();
            assertThat(seated.isAlive()).isTrue();
            seated.interrupt();
            seated.join();
        }
    }

    @Test
    @Timeout(60)
    void one_merchant_has_half_of_the_seats() throws InterruptedException {
        try (var database = Database.openForCommand("jdbc:postgresql://127.0.0.1:1/x", "postgres", "")) {
            var outcomes = new AwaitedOutcomes(database, 2);
            Thread one =
                    Thread.ofPlatform().start(() -> outcomes.await("flood", new PaymentId("pay_" + "a".repeat(26)), Duration.ofHours(1)));
            Awaitility.await().until(() -> one.getState() == Thread.State.TIMED_WAITING);
            assertThat(outcomes.await("flood", new PaymentId("pay_" + "b".repeat(26)), Duration.ofHours(1))).isEmpty();

            Thread other =
                    Thread.ofPlatform().start(() -> outcomes.await("quiet", new PaymentId("pay_" + "c".repeat(26)), Duration.ofHours(1)));
            Awaitility.await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
            for (Thread waiter : new Thread[] {one, other}) {
                waiter.interrupt();
                waiter.join();
            }
        }
    }

    @Test
    void preferences_that_mean_nothing_are_passed_over() {
        assertThat(Preference.wait(List.of("wait=0", "wait=-1", "wait=x", "respond-async"))).isEmpty();
        assertThat(Preference.wait(List.of("respond-async, WAIT = \"7\"; foo=bar"))).contains(Duration.ofSeconds(7));
        assertThat(Preference.wait(List.of("wait=999999999"))).contains(Duration.ofSeconds(30));
        assertThat(payAndWait("wait=99999999999999999999").headers().firstValue("Preference-Applied")).isEmpty();
    }
}
