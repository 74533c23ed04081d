// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.adyen.model.checkout.PaymentResponse;
import com.adyen.service.exception.ApiException;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdempotencyTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory().clock(now::get));
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void the_same_key_gets_the_first_answer_byte_for_byte_with_the_key_in_its_header() throws Exception {
        HttpResponse<String> first = Raw.pay(simulator, Raw.PAYMENT, "k1");
        HttpResponse<String> again = Raw.pay(simulator, Raw.PAYMENT, "k1");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("idempotency-key")).contains("k1");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void the_key_alone_decides_so_another_payload_gets_the_first_answer_too() throws Exception {
        PaymentResponse first = shopper.pay(100, "k1");
        PaymentResponse other = shopper.pay(200, "k1");
        assertThat(other.getPspReference()).isEqualTo(first.getPspReference());
        assertThat(other.getAmount().getValue()).isEqualTo(100);
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_key_in_progress_is_refused_for_the_moment_and_answered_afterwards() throws Exception {
        simulator.inject(FaultRule.once(new Fault.SlowBefore(Duration.ofSeconds(2))).on(AdyenOperation.PAYMENT));
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> result("k1"));
        await().until(() -> result("k1").equals("409 704"));
        HttpResponse<String> meanwhile = Raw.pay(simulator, Raw.PAYMENT, "k1");
        assertThat(meanwhile.headers().firstValue("transient-error")).contains("true");
        assertThat(slow.get()).isEqualTo("Authorised");
        assertThat(result("k1")).isEqualTo("Authorised");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_transient_error_leaves_the_key_as_if_it_was_never_sent() throws Exception {
        simulator.inject(FaultRule.once(new Fault.TransientBefore()));
        HttpResponse<String> failed = Raw.pay(simulator, Raw.PAYMENT, "k1");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.headers().firstValue("transient-error")).contains("true");
        assertThat(simulator.movements()).isEmpty();
        assertThat(result("k1")).isEqualTo("Authorised");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_transient_error_after_the_execution_hides_an_answer_that_the_key_brings_back() {
        simulator.inject(FaultRule.once(new Fault.TransientAfter()));
        assertThat(result("k1")).startsWith("500");
        assertThat(simulator.movements()).hasSize(1);
        assertThat(result("k1")).isEqualTo("Authorised");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void any_other_error_is_final_for_the_key() throws Exception {
        simulator.inject(FaultRule.once(new Fault.FailBefore()));
        assertThat(Raw.pay(simulator, Raw.PAYMENT, "k1").headers().firstValue("transient-error")).isEmpty();
        assertThat(result("k1")).startsWith("500");
        assertThat(simulator.movements()).isEmpty();

        simulator.inject(FaultRule.once(new Fault.FailAfter()));
        assertThat(result("k2")).startsWith("500");
        assertThat(result("k2")).startsWith("500");
        assertThat(simulator.movements()).hasSize(1);

        assertThatExceptionOfType(ApiException.class).isThrownBy(() -> shopper.pay(0, "k3"));
        assertThat(result("k3")).isEqualTo("422 137");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void what_is_refused_at_the_door_is_not_remembered() throws Exception {
        simulator.inject(FaultRule.once(new Fault.RateLimited(7)));
        HttpResponse<String> limited = Raw.pay(simulator, Raw.PAYMENT, "k1");
        assertThat(limited.statusCode()).isEqualTo(429);
        assertThat(limited.headers().firstValue("Retry-After")).contains("7");
        assertThatExceptionOfType(ApiException.class).isThrownBy(() -> new Shopper(simulator.apiBase(), "other").pay(1, "k1"));
        assertThat(Raw.pay(simulator, "{", "k1").statusCode()).isEqualTo(400);
        assertThat(result("k1")).isEqualTo("Authorised");
    }

    @Test
    void a_key_has_at_most_64_characters() throws Exception {
        assertThat(Raw.pay(simulator, Raw.PAYMENT, "k".repeat(65)).statusCode()).isEqualTo(400);
        assertThat(Raw.pay(simulator, Raw.PAYMENT, "k".repeat(64)).statusCode()).isEqualTo(200);
    }

    @Test
    void after_its_lifetime_a_key_is_a_new_request() throws Exception {
        shopper.pay(100, "k1");
        now.updateAndGet(time -> time.plus(Duration.ofDays(7)).minusMillis(1));
        shopper.pay(100, "k1");
        assertThat(simulator.movements()).hasSize(1);
        now.updateAndGet(time -> time.plusMillis(1));
        shopper.pay(100, "k1");
        assertThat(simulator.movements()).hasSize(2);
    }

    @Test
    void of_many_simultaneous_requests_with_one_key_one_is_executed() throws Exception {
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(() -> Raw.pay(simulator, Raw.PAYMENT, "k1").statusCode());
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> call : threads.invokeAll(calls)) {
                assertThat(call.get()).isIn(200, 409);
            }
        }
        assertThat(simulator.movements()).hasSize(1);
    }

    private String result(String key) {
        try {
            return shopper.pay(100, key).getResultCode().getValue();
        } catch (ApiException e) {
            return e.getStatusCode() + " " + e.getError().getErrorCode();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
