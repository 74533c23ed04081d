// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Divides what is worked on at once: sealed records are in memory several times meanwhile. */
public final class Parts {

    /** The last one of a part may come on top. */
    public static final int MOST_BYTES = 2 << 20;

    private Parts() {}

    /** In their order, and so many at most in each. */
    public static <T> List<List<T>> of(List<T> all, int most, ToLongFunction<T> bytes) {
        var parts = new ArrayList<List<T>>();
        for (int from = 0; from < all.size();) {
            int end = from;
            for (long sum = 0; end < all.size() && end - from < most && sum < MOST_BYTES; end++) {
                sum += bytes.applyAsLong(all.get(end));
            }
            parts.add(all.subList(from, end));
            from = end;
        }
        return parts;
    }
}
