// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.notifications.receipt.ReceiptTable.Backlog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the metrics tell about receipts. */
final class ReceiptMeters {

    private static final String SENT = "sent";
    private static final String FAILED = "failed";
    private static final String DEAD = "dead";
    private static final String NOT_SENT = "not_sent";
    private static final String OVER = "over";

    private final Timer tries;
    private final Map<String, Counter> byResult;
    private volatile Backlog backlog = Backlog.EMPTY;

    ReceiptMeters(MeterRegistry registry) {
        tries = Timer.builder("chargeonce.receipt.tries").description("How long a try of a receipt took").publishPercentileHistogram()
                .register(registry);
        byResult = Stream.of(SENT, FAILED, DEAD, NOT_SENT, OVER).collect(Collectors.toMap(result -> result,
                result -> Counter.builder("chargeonce.receipt.results").description("How tries of receipts ended").tag("result", result)
                        .register(registry)));
        gauge(registry, "waiting", "Receipts that wait for their first or next try; at most 100,000 are counted", Backlog::waiting);
        gauge(registry, "dead", "Receipts that are not tried any more; at most 100,000 are counted", Backlog::dead);
        gauge(registry, "overdue.seconds", "How long the oldest due receipt has waited", Backlog::overdueSeconds);
        gauge(registry, "stuck.seconds", "How old the oldest waiting receipt is of those made after the last one was sent",
                Backlog::stuckSeconds);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<Backlog> value) {
        Gauge.builder("chargeonce.receipt." + name, this, meters -> value.applyAsDouble(meters.backlog)).description(description)
                .register(registry);
    }

    Answer timed(Supplier<Answer> send) {
        return tries.record(send);
    }

    void count(Answer answer) {
        byResult.get(switch (answer) {
            case Answer.Sent sent -> SENT;
            case Answer.Failed failed -> FAILED;
            case Answer.Refused refused -> FAILED;
            case Answer.NotSent notSent -> NOT_SENT;
            case Answer.Over over -> OVER;
        }).increment();
    }

    void countDead() {
        byResult.get(DEAD).increment();
    }

    void show(Backlog now) {
        backlog = now;
    }
}
