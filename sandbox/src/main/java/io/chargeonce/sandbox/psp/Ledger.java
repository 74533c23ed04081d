// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.List;

/** A PSP's append-only record of requests and of money moved. Any thread may read. */
public interface Ledger {
    /** Up to {@code limit} movements, oldest first, after the first {@code from}. */
    List<Movement> movements(int from, int limit);

    List<LoggedRequest> requests(int from, int limit);

    Counts counts();

    /** Up to {@code limit} of all, after the first {@code from}. */
    static <T> List<T> page(List<T> all, int from, int limit) {
        int start = Math.min(from, all.size());
        return List.copyOf(all.subList(start, (int) Math.min((long) start + limit, all.size())));
    }

    /** Forgets everything, where it is kept too. */
    void clear();
}
