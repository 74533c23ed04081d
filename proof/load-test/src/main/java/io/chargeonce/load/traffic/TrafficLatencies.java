// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import io.chargeonce.checker.evidence.ClientCall;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How long answers took, since the start and of late. Any thread. */
public final class TrafficLatencies {

    private static final long LONGEST_MICROS = Duration.ofMinutes(10).toNanos() / 1_000;

    private static final int MOST_REASONS = 20;

    private final Recorder recorder = new Recorder(LONGEST_MICROS, 3);
    private final Histogram total = new Histogram(LONGEST_MICROS, 3);
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong heldBack = new AtomicLong();
    private final Map<String, Long> refusals = new ConcurrentHashMap<>();
    private final Map<String, Long> unclear = new ConcurrentHashMap<>();

    void answered(long nanos, ClientCall.Result result) {
        recorder.recordValue(Math.clamp(nanos / 1_000, 1, LONGEST_MICROS));
        (result == ClientCall.Result.OK ? accepted : refused).incrementAndGet();
    }

    /** One call was refused for good. */
    void refused(int status, String type) {
        refusals.merge(status + " " + type.substring(type.lastIndexOf(':') + 1), 1L, Long::sum);
    }

    /** How often calls were refused, by the reason that the server gave. */
    public Map<String, Long> refusals() {
        return new TreeMap<>(refusals);
    }

    /** One sending ended without an answer that says anything. Addresses and times are left out, so that the reasons are few. */
    void unclear(String why) {
        String reason = why.startsWith("no answer: ") ? why.replaceAll("\\S*\\d\\S*", "…") : why;
        unclear.merge(unclear.size() < MOST_REASONS || unclear.containsKey(reason) ? reason : "another reason", 1L, Long::sum);
    }

    /** How often each kind of no answer was met, those included that were sent again with success. */
    public Map<String, Long> unclear() {
        return new TreeMap<>(unclear);
    }

    /** One call left after its time, for too many others had no answer yet. */
    void heldBack() {
        heldBack.incrementAndGet();
    }

    public long callsHeldBack() {
        return heldBack.get();
    }

    void unanswered() {
        unanswered.incrementAndGet();
    }

    /** What was answered since the last call; it also enters the total. Microseconds. For one thread at a time. */
    public synchronized Histogram sinceLastLook() {
        Histogram recent = recorder.getIntervalHistogram();
        total.add(recent);
        return recent;
    }

    /** Microseconds. */
    public synchronized Histogram total() {
        sinceLastLook();
        return total.copy();
    }

    public long accepted() {
        return accepted.get();
    }

    public long refused() {
        return refused.get();
    }

    public long unansweredCalls() {
        return unanswered.get();
    }
}
