// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts and sums by finding and currency, and the first differences. Its memory does not grow with the report. For one thread. */
public final class Totals {

    /** Currencies are ISO 4217's, so there are few of these. */
    private record Key(Finding finding, String currency) implements Comparable<Key> {

        @Override
        public int compareTo(Key other) {
            int first = finding.compareTo(other.finding);
            return first != 0 ? first : currency.compareTo(other.currency);
        }
    }

    /** In minor units. */
    public record Sum(Finding finding, String currency, long items, long expected, long booked) {

        private Sum and(Difference one) {
            return new Sum(finding, currency, items + 1, expected + one.expected(), booked + one.booked());
        }
    }

    private final int most;
    private final Map<Key, Sum> sums = new TreeMap<>();
    private final List<Difference> differences = new ArrayList<>();
    private long left;

    /** @param most how many differences are kept; more are only counted */
    public Totals(int most) {
        this.most = most;
    }

    void add(Difference one) {
        sums.merge(new Key(one.finding(), one.currency()), new Sum(one.finding(), one.currency(), 1, one.expected(), one.booked()),
                (before, first) -> before.and(one));
        if (one.finding().isDifference()) {
            if (differences.size() < most) {
                differences.add(one);
            } else {
                left++;
            }
        }
    }

    public List<Sum> sums() {
        return List.copyOf(sums.values());
    }

    public List<Difference> differences() {
        return List.copyOf(differences);
    }

    /** How many differences were only counted. */
    public long left() {
        return left;
    }

    public boolean balanced() {
        return sums.values().stream().noneMatch(sum -> sum.finding().isDifference());
    }

    public long items(Finding finding) {
        return sums.values().stream().filter(sum -> sum.finding() == finding).mapToLong(Sum::items).sum();
    }
}
