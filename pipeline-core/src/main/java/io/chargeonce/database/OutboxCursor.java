// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides where a relay's next read of the outbox begins: after rows that are deleted, so that dead rows are not scanned again and again,
 * and before every row that may still appear.
 *
 * <p>An id given out after a read is higher than any id that the read saw, and a transaction takes its number before it inserts ids ({@link
 * Outbox} ensures that). A snapshot lists the open transactions, but only those with numbers below the newest finished one. It does
 * not list later ones, and one of them may have inserted ids long before. So between two reads the relay commits a transaction of its own,
 * its deletion. Every transaction that the second snapshot does not list took its number after that deletion, so its ids are above those
 * that the first read saw. For the relay's thread.
 */
final class OutboxCursor {

    /** Which transactions were open at one read, from Postgres's snapshot text. */
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
    /** Transactions not listed at the last read have inserted, and will insert, only ids above this one. */
    private long unknownAbove;
    private boolean ownTransactionEnded;
    private Map<Long, Long> lowestOfOpen = Map.of();

    /** The next read begins here, or at the lowest id of {@link #lowestOfOpen} whose transaction has ended by then. */
    long next() {
        return Math.min(leftAt, unknownAbove + 1);
    }

    /** Each transaction that was open at the last read, by its number, with an id below which it has inserted nothing. */
    Map<Long, Long> lowestOfOpen() {
        return lowestOfOpen;
    }

    /**
     * @param ids   of the rows that were read, in their order
     * @param whole whether the read returned all rows there are
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

    /** Since the last read the relay has committed a transaction that had a number. */
    void ownTransactionEnded() {
        ownTransactionEnded = true;
    }

    /** This row was not published, and must be read again. */
    void keep(long id) {
        leftAt = Math.min(leftAt, id);
    }

    /** The next read begins at the first row. */
    void restart() {
        leftAt = 0;
    }
}
