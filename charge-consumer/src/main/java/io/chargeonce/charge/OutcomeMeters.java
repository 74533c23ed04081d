// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/** How long operations take from their acceptance to their end, by Postgres's clock. Any thread. */
final class OutcomeMeters {

    private static final Duration[] BUCKETS = Stream.of(20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000,
            1_800_000, 7_200_000).map(Duration::ofMillis).toArray(Duration[]::new);

    private final Map<OperationKind, Map<OperationState, Timer>> timers = new EnumMap<>(OperationKind.class);

    OutcomeMeters(MeterRegistry meters) {
        for (OperationKind kind : OperationKind.values()) {
            var byEnd = new EnumMap<OperationState, Timer>(OperationState.class);
            for (OperationState end : new OperationState[] {OperationState.SUCCEEDED, OperationState.DECLINED, OperationState.DEAD}) {
                byEnd.put(end, Timer.builder("chargeonce.outcomes").description("From acceptance to the end, by kind and end")
                        .tags("kind", kind.tag(), "end", end.tag()).serviceLevelObjectives(BUCKETS).register(meters));
            }
            timers.put(kind, byEnd);
        }
    }

    /** Counts the operation if it has ended. */
    void decided(Operation operation, Instant now) {
        Timer timer = timers.get(operation.kind()).get(operation.state());
        if (timer != null) {
            timer.record(Duration.between(operation.accepted().at(), now));
        }
    }
}
