// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import io.chargeonce.bench.measure.Latencies;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A closed loop of so many connections, each with one request under way, over plain sockets: the generator shares the cores
 * with what it measures, so it does as little as can be. For one thread.
 */
final class HttpLoad {

    /** @param fresh payments accepted that had not been before, which the database must have exactly */
    record Outcome(double acceptedPerSecond, double p50, double p99, int fresh, int refused) {}

    private final int port;
    private final int connections;
    private final int repeatedPercent;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger highestAccepted = new AtomicInteger();
    private final AtomicInteger fresh = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** @param repeatedPercent of the requests that send an accepted one once more */
    HttpLoad(int port, int connections, int repeatedPercent) {
        this.port = port;
        this.connections = connections;
        this.repeatedPercent = repeatedPercent;
    }

    Outcome run(Duration warmUp, Duration measured) throws InterruptedException {
        long from = System.nanoTime() + warmUp.toNanos();
        long to = from + measured.toNanos();
        var all = new ArrayList<Latencies>();
        var done = new CountDownLatch(connections);
        for (int i = 0; i < connections; i++) {
            var mine = new Latencies();
            all.add(mine);
            Thread.ofVirtual().start(() -> {
                try {
                    send(from, to, mine);
                } catch (IOException e) {
                    refused.incrementAndGet();
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        var together = new Latencies();
        all.forEach(together::addAll);
        return new Outcome(together.size() * 1e9 / measured.toNanos(), together.millisAt(50), together.millisAt(99), fresh.get(),
                refused.get());
    }

    private void send(long from, long to, Latencies latencies) throws IOException {
        try (var post = new PaymentPost(port)) {
            long start = System.nanoTime();
            while (start < to) {
                boolean repeat = ThreadLocalRandom.current().nextInt(100) < repeatedPercent && highestAccepted.get() > 0;
                int number = repeat ? highestAccepted.get() : next.incrementAndGet();
                boolean accepted = post.send("checkout-2026-%09d".formatted(number)) == 202;
                long end = System.nanoTime();
                if (!accepted) {
                    refused.incrementAndGet();
                } else {
                    if (!repeat) {
                        fresh.incrementAndGet();
                        highestAccepted.set(number);
                    }
                    if (start >= from && end <= to) {
                        latencies.add(end - start);
                    }
                }
                start = end;
            }
        }
    }
}
