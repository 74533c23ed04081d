// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import java.util.List;
import java.util.Locale;

/** The median of several rounds, with the least and the most. Immutable. */
public record RoundSpread(double median, double min, double max) {

    public static RoundSpread of(List<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("a median needs a value");
        }
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new RoundSpread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Without decimals from 100 on: there they say nothing. */
    public static String brief(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    @Override
    public String toString() {
        return brief(median) + " (" + brief(min) + "–" + brief(max) + ")";
    }
}
