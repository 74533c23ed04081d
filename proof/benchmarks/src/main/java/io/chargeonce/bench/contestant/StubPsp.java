// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A PSP inside this process, with a latency and true idempotency: a key is executed once. Every contestant calls it. Any thread. */
public final class StubPsp implements BenchPsp {

    private final Duration latency;
    private final int failingPercent;
    private final Map<String, String> executed = new ConcurrentHashMap<>();
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();

    /** @param failingPercent of the payments whose first call is answered with an error and executes nothing */
    public StubPsp(Duration latency, int failingPercent) {
        this.latency = latency;
        this.failingPercent = failingPercent;
    }

    /** Each sick payment's first call; its second is as good as any. */
    @Override
    public boolean fails(String payment) {
        return isSick(payment) && failedOnce.add(payment);
    }

    public boolean isSick(String payment) {
        return Math.floorMod(payment.hashCode(), 100) < failingPercent;
    }

    @Override
    public String charge(String key, String payment) {
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

    @Override
    public boolean knows(String key) {
        return executed.containsKey(key);
    }

    /** Which payment was charged under which key: a payment under two keys was charged twice. */
    public Map<String, String> executed() {
        return executed;
    }
}
