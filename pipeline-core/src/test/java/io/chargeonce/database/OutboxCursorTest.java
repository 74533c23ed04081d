// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutboxCursorTest {

    private final OutboxCursor frontier = new OutboxCursor();

    @Test
    void a_snapshot_is_read_as_postgres_writes_it() {
        assertThat(OutboxCursor.Snapshot.parse("700:705:700,702").open()).containsExactlyInAnyOrder(700L, 702L);
        assertThat(OutboxCursor.Snapshot.parse("705:705:").open()).isEmpty();
    }

    @Test
    void a_read_begins_after_the_rows_seen_before_the_last_deletion() {
        lookAndDelete(Set.of(), 1, 2, 3);
        assertThat(frontier.next()).isEqualTo(1);
        lookAndDelete(Set.of(), 4, 5);
        assertThat(frontier.next()).isEqualTo(4);
    }

    @Test
    void without_a_deletion_a_look_begins_where_the_last_one_did() {
        lookAndDelete(Set.of(), 1, 2, 3);
        look(Set.of(), 4, 5);
        look(Set.of(), 6);
        assertThat(frontier.next()).isEqualTo(4);
    }

    @Test
    void a_transaction_that_is_open_for_long_holds_back_its_own_place_and_nothing_else() {
        lookAndDelete(Set.of(), 1, 2, 3);
        lookAndDelete(Set.of(), 4);
        lookAndDelete(Set.of(700L), 6, 7);
        lookAndDelete(Set.of(700L, 701L), 8, 9);
        assertThat(frontier.next()).isEqualTo(8);
        assertThat(frontier.lowestOfOpen()).isEqualTo(Map.of(700L, 4L, 701L, 5L));
    }

    @Test
    void a_transaction_that_is_over_is_forgotten() {
        look(Set.of(700L));
        look(Set.of());
        assertThat(frontier.lowestOfOpen()).isEmpty();
    }

    @Test
    void a_row_that_was_not_published_is_looked_for_again() {
        lookAndDelete(Set.of(), 1, 2, 3);
        lookAndDelete(Set.of(), 4);
        lookAndDelete(Set.of());
        frontier.keep(2);
        assertThat(frontier.next()).isEqualTo(2);
    }

    @Test
    void after_a_look_that_was_not_whole_the_next_begins_where_it_ended() {
        lookAndDelete(Set.of(), 7, 8, 9);
        lookAndDelete(Set.of());
        frontier.looked(new OutboxCursor.Snapshot(Set.of()), List.of(3L, 4L), false);
        assertThat(frontier.next()).isEqualTo(5);
    }

    private void lookAndDelete(Set<Long> open, long... ids) {
        look(open, ids);
        frontier.ownTransactionEnded();
    }

    private void look(Set<Long> open, long... ids) {
        frontier.looked(new OutboxCursor.Snapshot(open), Arrays.stream(ids).boxed().toList(), true);
    }

    static IntStream seeds() {
        return IntStream.range(0, 500);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void every_row_that_commits_is_found_however_transactions_and_looks_interleave(int seed) {
        var outbox = new ModelOutbox(new Random(seed));
        outbox.run(400);
        assertThat(outbox.published).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(outbox.committed);
    }

    /**
     * A model of Postgres: transactions take a number, then ids; their rows become visible at commit; a snapshot lists the open
     * transactions that are older than the newest finished one.
     */
    private final class ModelOutbox {
        private static final int MOST_AT_ONCE = 4;
        private final Random random;
        private final Map<Long, List<Long>> open = new TreeMap<>();
        private final TreeSet<Long> visible = new TreeSet<>();
        private final List<Long> committed = new ArrayList<>();
        private final List<Long> published = new ArrayList<>();
        private long nextTransaction = 700;
        private long newestOver = 699;
        private long nextId = 1;

        ModelOutbox(Random random) {
            this.random = random;
        }

        void run(int steps) {
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(6)) {
                    case 0 -> open.put(nextTransaction++, new ArrayList<>());
                    case 1, 2 -> any().ifPresent(transaction -> open.get(transaction).add(nextId++));
                    case 3 -> any().ifPresent(this::end);
                    default -> look();
                }
            }
            List.copyOf(open.keySet()).forEach(this::end);
            for (int i = 0; i < steps && !visible.isEmpty(); i++) {
                look();
            }
        }

        private Optional<Long> any() {
            return open.isEmpty() ? Optional.empty()
                    : open.keySet().stream().skip(random.nextInt(open.size())).findFirst();
        }

        private void end(long transaction) {
            List<Long> staged = open.remove(transaction);
            newestOver = Math.max(newestOver, transaction);
            if (random.nextInt(4) > 0) {
                visible.addAll(staged);
                committed.addAll(staged);
            }
        }

        /** As {@link Outbox#read} begins. */
        private void look() {
            var known = open.keySet().stream().filter(transaction -> transaction < newestOver).collect(Collectors.toSet());
            long start = frontier.lowestOfOpen().entrySet().stream().filter(entry -> !open.containsKey(entry.getKey()))
                    .mapToLong(Map.Entry::getValue).reduce(frontier.next(), Math::min);
            List<Long> found = visible.tailSet(start).stream().limit(MOST_AT_ONCE).toList();
            frontier.looked(new OutboxCursor.Snapshot(known), found, found.size() < MOST_AT_ONCE);
            var deleted = found.stream().filter(id -> random.nextInt(5) > 0).toList();
            if (!deleted.isEmpty()) {
                visible.removeAll(deleted);
                published.addAll(deleted);
                newestOver = nextTransaction++;
                frontier.ownTransactionEnded();
            }
            found.stream().filter(id -> !deleted.contains(id)).findFirst().ifPresent(frontier::keep);
        }
    }
}
