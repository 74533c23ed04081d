// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bench.contestant.HttpPsp;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutsideTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Set<String> arrived = ConcurrentHashMap.newKeySet();
    private final WebServer door = WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/v1/payments",
            (request, response) -> {
                request.content().as(String.class);
                arrived.add(request.headers().get(HeaderNames.create("Idempotency-Key")).get());
                response.status(Status.ACCEPTED_202).send();
            })).build().start();

    @AfterEach
    void close() {
        door.stop();
    }

    private static Set<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(Payments::key).collect(Collectors.toSet());
    }

    @Test
    void it_sends_as_many_payments_as_are_let_in_and_then_the_rest() throws Exception {
        try (var outside = Outside.start(Duration.ZERO)) {
            outside.send(door.port(), 100, Instant.now(), Optional.empty());
            outside.let(30);
            await().atMost(LONG).until(() -> arrived.size() == 30);
            outside.let(70);
            await().atMost(LONG).until(() -> arrived.equals(keys(100)));
        }
    }

    @Test
    void a_second_turn_sends_everything_anew_to_a_psp_that_has_executed_nothing() throws Exception {
        try (var outside = Outside.start(Duration.ZERO); var psp = new HttpPsp(outside.pspPort())) {
            outside.send(door.port(), 100, Instant.now(), Optional.empty());
            outside.let(30);
            await().atMost(LONG).until(() -> arrived.size() == 30);
            psp.charge("key-1", "pay_1");
            arrived.clear();
            outside.send(door.port(), 20, Instant.now(), Optional.empty());
            outside.let(20);
            await().atMost(LONG).until(() -> arrived.equals(keys(20)));
            var executed = new HashMap<String, String>();
            outside.readLedger(executed);
            assertThat(executed).isEmpty();
        }
    }

    @Test
    void in_an_open_loop_nobody_has_to_let_anything_in() throws Exception {
        try (var outside = Outside.start(Duration.ZERO)) {
            outside.send(door.port(), 100, Instant.now(), Optional.of(1_000.0));
            await().atMost(LONG).until(() -> arrived.equals(keys(100)));
        }
    }

    @Test
    void its_psp_executes_a_key_once_and_tells_its_ledger_and_its_processor_time_is_its_own() throws Exception {
        try (var outside = Outside.start(Duration.ofMillis(1)); var psp = new HttpPsp(outside.pspPort())) {
            assertThat(psp.charge("key-1", "pay_1")).isEqualTo(psp.charge("key-1", "pay_other")).isEqualTo("ref_key-1");
            psp.charge("key-2", "pay_2");
            var executed = new HashMap<String, String>();
            outside.readLedger(executed);
            assertThat(executed).containsOnly(Map.entry("key-1", "pay_1"), Map.entry("key-2", "pay_2"));
            assertThat(outside.cpuMicros()).isPositive();
        }
    }
}
