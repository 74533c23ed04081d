// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.witness.Hop;
import io.chargeonce.console.witness.Latency;
import io.chargeonce.console.witness.Overdue;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.Progress;
import io.chargeonce.console.witness.RateBy;
import io.chargeonce.console.witness.RatePoint;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.WitnessView;
import java.time.Duration;
import java.util.List;

/** The witness that a console asks. This build has none, and it says so instead of knowing nothing in silence. */
final class OpenWitness implements WitnessView {

    private static final Progress NONE =
            new Progress(Progress.State.STOPPED, 0, 0, null, 0, "this build has no witness; use a build with Kafka Streams");

    @Override
    public Progress progress() {
        return NONE;
    }

    @Override
    public List<Stage> stages() {
        return List.of();
    }

    @Override
    public List<Overdue> overdue(int most) {
        return List.of();
    }

    @Override
    public OverdueSum overdueSum() {
        return new OverdueSum(0, List.of(), null);
    }

    @Override
    public List<Hop> journey(String paymentId) {
        return List.of();
    }

    @Override
    public List<RatePoint> rates(RateBy by, Duration window) {
        return List.of();
    }

    @Override
    public List<Latency> latencies() {
        return List.of();
    }
}
