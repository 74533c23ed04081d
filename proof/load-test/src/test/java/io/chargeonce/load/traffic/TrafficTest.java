// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class TrafficTest {

    private final Queue<ClientCall> history = new ConcurrentLinkedQueue<>();

    private Traffic shop(int tries, Supplier<HttpAnswer> answers) {
        return shop(tries, Traffic.MOST_OPEN, answers);
    }

    private Traffic shop(int tries, int mostOpen, Supplier<HttpAnswer> answers) {
        try (var server = HttpListener.start("an ingest service", 0, request -> answers.get())) {
            var traffic = new Traffic(URI.create("http://127.0.0.1:" + server.port()), Optional.empty(), tries, history::add, refund -> {},
                    mostOpen);
            traffic.run(50, Duration.ofMillis(200), Mix.parse("repeats=0"), List.of(new TrafficMerchant("acme", "t")), new Random(1), "k");
            return traffic;
        }
    }

    private static HttpAnswer answer(int status) {
        return new HttpAnswer.Full(status, Map.of(), "{\"id\":\"pay_1\"}".getBytes());
    }

    @Test
    void a_202_is_ok_a_4xx_is_a_failure_and_a_5xx_is_unknown() {
        shop(1, () -> answer(202));
        assertThat(history).hasSize(10)
                .allMatch(call -> call.result() == ClientCall.Result.OK && call.paymentId().equals(Optional.of("pay_1")));
        history.clear();
        shop(1, () -> answer(409));
        assertThat(history).hasSize(10).allMatch(call -> call.result() == ClientCall.Result.FAIL);
        history.clear();
        assertThat(shop(1, () -> answer(503)).latencies().unansweredCalls()).isEqualTo(10);
        assertThat(history).hasSize(10).allMatch(call -> call.result() == ClientCall.Result.UNKNOWN);
    }

    @Test
    void a_call_without_an_answer_is_sent_again_under_the_same_key() {
        shop(3, HttpAnswer.Reset::new);
        assertThat(history).hasSize(30);
        assertThat(history.stream().map(ClientCall::key).distinct()).hasSize(10);
    }

    @Test
    void a_server_that_stalls_is_charged_for_everybody_who_waited() {
        var first = new AtomicBoolean(true);
        var stall = new CountDownLatch(1);
        Traffic traffic = shop(1, () -> {
            try {
                if (first.getAndSet(false)) {
                    TimeUnit.MILLISECONDS.sleep(600);
                    stall.countDown();
                }
                stall.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return answer(202);
        });
        assertThat(traffic.latencies().total().getMaxValue()).isGreaterThan(400_000);
    }

    @Test
    void what_the_sender_itself_held_back_is_counted() {
        assertThat(shop(1, () -> answer(202)).latencies().callsHeldBack()).isZero();
        var both = new CountDownLatch(2);
        Traffic traffic = shop(1, 2, () -> {
            both.countDown();
            try {
                both.await();
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return answer(202);
        });
        assertThat(traffic.latencies().callsHeldBack()).isPositive();
        assertThat(traffic.latencies().accepted()).isEqualTo(10);
    }

    @Test
    void a_history_reads_back_as_it_was_written() {
        var call = new ClientCall("acme", "key \" 1", new ClientCall.Content(1, "EUR", "pm_card_visa"), ClientCall.Result.OK,
                Optional.of("pay_1"));
        assertThat(ClientCall.fromLine(call.toLine())).isEqualTo(call);
        assertThatThrownBy(() -> ClientCall.fromLine(call.toLine().replace("payment_method", "payload")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("without payment_method");
    }
}
