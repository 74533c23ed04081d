// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.dlq.Sum;
import java.util.Map;
import java.util.TreeMap;

/** Counts and money per kind. Belongs to one thread until it is complete. */
public final class SumsByKind<K extends Enum<K>> {

    private final Map<K, Sum> sums = new TreeMap<>();

    public SumsByKind() {}

    public void add(K kind, Sum sum) {
        sums.merge(kind, sum, Sum::plus);
    }

    public void addAll(SumsByKind<K> other) {
        other.sums.forEach(this::add);
    }

    public Sum of(K kind) {
        return sums.getOrDefault(kind, Sum.NOTHING);
    }

    public Sum total() {
        return sums.values().stream().reduce(Sum.NOTHING, Sum::plus);
    }
}
