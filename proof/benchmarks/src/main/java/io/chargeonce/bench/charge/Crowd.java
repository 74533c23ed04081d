// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.ingest.PaymentPost;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/**
 * Merchants that send payments in an open loop, each at its own pace. A delay counts from when a payment was to be
 * sent. Merchant 0 is the noisy one; what is measured is the others'. For one thread.
 */
final class Crowd {

    static final int MERCHANTS = 10;
    static final int NOISY = 0;
    private static final int CONNECTIONS = 4;
    private static final int CONNECTIONS_OF_NOISY = 64;

    private final int port;
    private final Map<String, Long> awaited;
    private final Map<String, Long> noise;
    private final String phase;
    private final Latencies accepted = new Latencies();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger refusedNoise = new AtomicInteger();

    /**
     * @param awaited gets when each payment of the others was to be sent, by {@link System#nanoTime()}
     * @param noise   gets the same of the noisy merchant's
     */
    Crowd(int port, String phase, Map<String, Long> awaited, Map<String, Long> noise) {
        this.noise = noise;
        this.port = port;
        this.phase = phase;
        this.awaited = awaited;
    }

    static String merchant(int number) {
        return "m" + number;
    }

    static String token(int number) {
        return "test_bench_" + number;
    }

    /** @param paceOf each merchant, in payments a second; 0 sends none */
    void send(IntUnaryOperator paceOf, Duration time) throws InterruptedException {
        long start = System.nanoTime() + Duration.ofMillis(200).toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int merchant = 0; merchant < MERCHANTS; merchant++) {
            int pace = paceOf.applyAsInt(merchant);
            var next = new AtomicInteger();
            for (int i = 0; pace > 0 && i < (merchant == NOISY ? CONNECTIONS_OF_NOISY : CONNECTIONS); i++) {
                int who = merchant;
                threads.add(Thread.ofVirtual().start(() -> send(who, next, pace, start, start + time.toNanos())));
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void send(int merchant, AtomicInteger next, int pace, long start, long end) {
        try (var post = new PaymentPost(port, token(merchant))) {
            for (long due = due(next, pace, start); due < end; due = due(next, pace, start)) {
                LockSupport.parkNanos(due - System.nanoTime());
                // In digits, one in ten of merchant 3's keys could be a card number.
                String key = phase + "-" + merchant + "-" + Long.toString(due, Character.MAX_RADIX);
                (merchant == NOISY ? noise : awaited).put(id(merchant, key), due);
                int status = post.send(key);
                note(merchant, status, System.nanoTime() - due);
            }
        } catch (IOException e) {
            throw new IllegalStateException("a connection of a merchant broke", e);
        }
    }

    static String id(int merchant, String key) {
        return PaymentId.derive(merchant(merchant), new IdempotencyKey(key)).value();
    }

    private static long due(AtomicInteger next, int pace, long start) {
        return start + (long) (next.getAndIncrement() * 1e9 / pace);
    }

    private void note(int merchant, int status, long nanos) {
        if (status != 202) {
            (merchant == NOISY ? refusedNoise : refused).incrementAndGet();
        } else if (merchant != NOISY) {
            synchronized (accepted) {
                accepted.add(nanos);
            }
        }
    }

    Latencies accepted() {
        return accepted;
    }

    int refused() {
        return refused.get();
    }

    int refusedNoise() {
        return refusedNoise.get();
    }

    static Map<String, Long> newAwaited() {
        return new ConcurrentHashMap<>();
    }
}
