package io.chargeonce.bench.charge;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A PSP inside this process, with a latency and true idempotency: a key is executed once. Every contestant calls it. Any thread. */
final class StubPsp {

    private final Duration latency;
    private final Map<String, String> executed = new ConcurrentHashMap<>();

    StubPsp(Duration latency) {
        this.latency = latency;
    }

    /** Returns the PSP's reference. Blocks as long as a real call would. */
    String charge(String key, String payment) {
        if (!latency.isZero()) {
            try {
                Thread.sleep(latency);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted during a call", e);
            }
        }
        executed.putIfAbsent(key, payment);
        return "ref_" + key;
    }

    /** Which payment was charged under which key: a payment under two keys was charged twice. */
    Map<String, String> executed() {
        return executed;
    }
}
