// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.bench.measure.Ground;

/**
 * Where a contestant works: its own database and topics, and the PSP.
 *
 * @param ledger what the PSP has executed, at the end
 * @param psp    how the contestant reaches it
 */
public record Arena(Ground.Plot plot, StubPsp ledger, BenchPsp psp) {

    public Arena(Ground.Plot plot, StubPsp psp) {
        this(plot, psp, psp);
    }

    public String requests() {
        return plot.topics().requests();
    }

    public String outcomes() {
        return plot.topics().outcomes();
    }
}
