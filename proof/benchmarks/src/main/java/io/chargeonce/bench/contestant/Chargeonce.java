// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.charge.ChargeEngine;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.tracing.Tracing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** This pipeline's charge engine with its usual settings, resolver, sweeper and retry tiers running. */
public final class Chargeonce implements Contestant {

    public static final Duration[] TIERS = {Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)};
    public static final Duration LEASE = Duration.ofMinutes(3);
    private static final int IN_FLIGHT = 2_000;

    @Override
    public String name() {
        return "chargeonce";
    }

    @Override
    public String about() {
        return "this pipeline: every guarantee, " + IN_FLIGHT + " in flight";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return start(arena.plot().pipeline(TIERS), arena.psp());
    }

    public static Lifecycle start(PipelineSettings pipeline, BenchPsp psp) {
        return start(pipeline, psp, IN_FLIGHT);
    }

    public static Lifecycle start(PipelineSettings pipeline, BenchPsp psp, int inFlight) {
        var unused = new StripeSettings("unused", "http://127.0.0.1:9", Duration.ofSeconds(1));
        var settings = new ChargeSettings(pipeline, List.of(unused), inFlight, LEASE,
                Duration.ofSeconds(10), List.of(Duration.ofSeconds(5)), Duration.ofMinutes(2), Optional.empty(),
                ChargeSettings.Pace.USUAL);
        var lifecycle = new Lifecycle("bench", Duration.ofSeconds(20));
        var engine = new ChargeEngine(settings, List.of(new StubGateway(psp)), new SimpleMeterRegistry(), Tracing.off(), lifecycle);
        engine.startCaretakers();
        for (int tier = 0; tier <= TIERS.length; tier++) {
            engine.startLoop(tier);
        }
        return lifecycle;
    }
}
