// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.OpenCounts;
import io.chargeonce.checker.evidence.EvidenceMissing;
import io.chargeonce.load.traffic.TrafficLatencies;
import io.chargeonce.load.traffic.Second;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Looks once a second how a load is going, prints a line about it, and keeps the figures for the chart. On a thread of its own. */
final class LoadProgress implements Runnable {

    private final Optional<PrintWriter> out;
    private final TrafficLatencies latencies;
    private final PipelineOptions pipeline;
    private final List<Second> seconds = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    LoadProgress(Optional<PrintWriter> out, TrafficLatencies latencies, PipelineOptions pipeline) {
        this.out = out;
        this.latencies = latencies;
        this.pipeline = pipeline;
    }

    @Override
    public void run() {
        long start = System.nanoTime();
        long last = start;
        while (!over()) {
            long now = System.nanoTime();
            Second second = Second.of(latencies.sinceLastLook(), (now - last) / 1e9);
            last = now;
            seconds.add(second);
            out.ifPresent(screen -> {
                screen.printf("%4d s  %,7.0f/s  p50 %,8.1f ms  p99 %,8.1f ms  unanswered %d%s%n", Math.round((now - start) / 1e9),
                        second.perSecond(),
                        second.p50Millis(), second.p99Millis(), latencies.unansweredCalls(), openCounts());
                screen.flush();
            });
        }
    }

    private boolean over() {
        try {
            return ended.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Only if the pipeline's database can be asked from here. */
    private String openCounts() {
        try {
            OpenCounts now = Checker.openCounts(pipeline.evidence(List.of()));
            return "  in tiers %d  unknown %d  dead %d".formatted(now.inTiers(), now.unresolved(), now.dead());
        } catch (EvidenceMissing outOfReach) {
            return "";
        }
    }

    void end(Thread watch) {
        ended.countDown();
        try {
            watch.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<Second> seconds() {
        return List.copyOf(seconds);
    }
}
