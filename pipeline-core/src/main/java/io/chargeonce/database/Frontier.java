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
 * <p>An id that is given out after a look is higher than any that the look saw. So whoever has no transaction number at one
 * look stages above what was seen by then; that bound is kept until the transaction is over, and the look that finds it
 * over begins there. ({@link Outbox#stage} takes the number before it takes an id.) For the relay's thread.
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

    private long next;
    private long highestSeen;
    private Map<Long, Long> lowestOfOpen = Map.of();

    /** The look begins here, unless one of {@link #lowestOfOpen} is over by then: then there. */
    long next() {
        return next;
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
        snapshot.open().forEach(transaction ->
                open.put(transaction, lowestOfOpen.getOrDefault(transaction, highestSeen + 1)));
        lowestOfOpen = open;
        highestSeen = ids.isEmpty() ? highestSeen : Math.max(highestSeen, ids.getLast());
        next = whole ? highestSeen + 1 : ids.getLast() + 1;
    }

    /** This row is still there, and has to be found again. */
    void keep(long id) {
        next = Math.min(next, id);
    }

    /** The next look takes in everything. */
    void restart() {
        next = 0;
    }
}
