// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import org.HdrHistogram.Histogram;

/** What was answered in about a second. */
public record Second(double perSecond, double p50Millis, double p99Millis) {

    /** @param recent microseconds */
    public static Second of(Histogram recent, double seconds) {
        return new Second(recent.getTotalCount() / seconds, recent.getValueAtPercentile(50) / 1_000.0,
                recent.getValueAtPercentile(99) / 1_000.0);
    }
}
