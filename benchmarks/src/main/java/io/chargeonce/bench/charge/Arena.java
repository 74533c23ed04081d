package io.chargeonce.bench.charge;

import io.chargeonce.bench.measure.Ground;

/** Where a contestant works: its own database and topics, and the PSP that all share. */
record Arena(Ground.Plot plot, StubPsp psp) {

    String requests() {
        return plot.topics().requests();
    }

    String outcomes() {
        return plot.topics().outcomes();
    }
}
