// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a relay's next look at the outbox begins: behind what is gone, so that dead rows are not walked over again and
 * again, and before every row that may still come to light there.
 *
 * <p>An id that is given out after a look is higher than any that the look saw, and whoever stages takes a transaction number
 * before an id ({@link Outbox#stage} sees to it). A snapshot names the transactions that are under way, but only those with
 * numbers below the newest that is over; of the others nothing is known, and one of them may have staged long before. So
 * the relay ends a transaction of its own between two looks, its deletion: whoever the second does not know by then took a
 * number after it, and stages above what the first saw. For the relay's thread.
 */
final class Frontier {

    /** As of one look, Postgres's own words: which transactions were under way. */
    record Snapshot(Set<Long> open) {

        /** @param text {@code xmin:xmax:xip,xip,…} */
        static Snapshot parse(String text) {
            String open = text.substring(text.lastIndexOf(':') + 1);
            return new Snapshot(open.isEmpty() ? Set.of()
                    : Arrays.stream(open.split(",")).map(Long::valueOf).collect(Collectors.toSet()));
        }
    }

    private static final long NOWHERE = Long.MAX_VALUE;

    private long leftAt;
    private long highestSeen;
    /** Who was unknown at the last look has staged, and will stage, above this only. */
    private long unknownAbove;
    private boolean ownTransactionEnded;
    private Map<Long, Long> lowestOfOpen = Map.of();

    /** The look begins here, unless one of {@link #lowestOfOpen} is over by then: then there. */
    long next() {
        return Math.min(leftAt, unknownAbove + 1);
    }

    /** By number, each transaction that was open at the last look, and an id that it has staged nothing below. */
    Map<Long, Long> lowestOfOpen() {
        return lowestOfOpen;
    }

    /**
     * @param ids   of the rows that the look found, in their order
     * @param whole whether it found all there are
     */
    void looked(Snapshot snapshot, List<Long> ids, boolean whole) {
        var open = new HashMap<Long, Long>();
        snapshot.open().forEach(transaction -> open.put(transaction, lowestOfOpen.getOrDefault(transaction, unknownAbove + 1)));
        lowestOfOpen = open;
        if (ownTransactionEnded) {
            unknownAbove = highestSeen;
            ownTransactionEnded = false;
        }
        highestSeen = ids.isEmpty() ? highestSeen : Math.max(highestSeen, ids.getLast());
        leftAt = whole ? NOWHERE : ids.getLast() + 1;
    }

    /** Since the last look the relay has committed a transaction that had a number. */
    void ownTransactionEnded() {
        ownTransactionEnded = true;
    }

    /** This row is still there, and has to be found again. */
    void keep(long id) {
        leftAt = Math.min(leftAt, id);
    }

    /** The next look takes in everything. */
    void restart() {
        leftAt = 0;
    }
}
