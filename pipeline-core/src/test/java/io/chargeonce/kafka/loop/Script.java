// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.TooLargeRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A handler that records its calls, holds the chosen values, and fails the chosen values. */
final class Script implements RecordHandler {
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<String> done = new ConcurrentLinkedQueue<>();
    private final Map<String, Instant> beginnings = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> failuresLeft = new ConcurrentHashMap<>();
    private final Map<String, Verdict> firstVerdicts = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger mostInFlight = new AtomicInteger();

    Script hold(String value) {
        held.put(value, new CountDownLatch(1));
        return this;
    }

    Script fail(String value, int times) {
        failuresLeft.put(value, new AtomicInteger(times));
        return this;
    }

    Script sayFirst(String value, Verdict verdict) {
        firstVerdicts.put(value, verdict);
        return this;
    }

    /** Releases a held value, now and each time it comes again. */
    void letGo(String value) {
        held.get(value).countDown();
    }

    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
        String value = record instanceof TooLargeRecord tooLarge ? tooLarge.told() : new String(record.value());
        begun.add(value);
        beginnings.put(value, Instant.now());
        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        try {
            if (held.containsKey(value)) {
                held.get(value).await();
            }
            if (failuresLeft.containsKey(value) && failuresLeft.get(value).getAndDecrement() > 0) {
                throw new IllegalStateException("told to fail on " + value);
            }
            if (firstVerdicts.containsKey(value)) {
                return firstVerdicts.remove(value);
            }
            done.add(value);
            return Verdict.done();
        } finally {
            inFlight.decrementAndGet();
        }
    }

    List<String> begun() {
        return List.copyOf(begun);
    }

    List<String> done() {
        return List.copyOf(done);
    }

    Instant beginningOf(String value) {
        return beginnings.get(value);
    }

    int mostInFlight() {
        return mostInFlight.get();
    }
}
