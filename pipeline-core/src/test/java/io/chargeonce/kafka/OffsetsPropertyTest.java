package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Compares the bookkeeping, step by step, with the plain definition of it. */
class OffsetsPropertyTest {

    @Property
    void whatever_the_order_of_completion_only_what_lies_below_the_lowest_incomplete_offset_is_committable(
            @ForAll @IntRange(min = 1, max = 200) int steps, @ForAll long seed) {
        Random random = new Random(seed);
        Offsets offsets = new Offsets();
        TreeSet<Long> incomplete = new TreeSet<>();
        TreeSet<Long> complete = new TreeSet<>();
        List<Marked> open = new ArrayList<>();
        long next = random.nextInt(5);
        for (int step = 0; step < steps; step++) {
            if (open.isEmpty() || random.nextBoolean()) {
                open.add(new Marked(next, offsets.add(next, Optional.empty())));
                incomplete.add(next);
                next += 1 + random.nextInt(3);
            } else {
                Marked chosen = open.remove(random.nextInt(open.size()));
                offsets.complete(chosen.mark());
                incomplete.remove(chosen.offset());
                complete.add(chosen.offset());
            }
            assertThat(offsets.committable().map(OffsetAndMetadata::offset)).isEqualTo(lastBelow(incomplete, complete).map(last -> last + 1));
        }
    }

    private record Marked(long offset, Offsets.Mark mark) {}

    private static Optional<Long> lastBelow(TreeSet<Long> incomplete, TreeSet<Long> complete) {
        return Optional.ofNullable(incomplete.isEmpty() ? complete.floor(Long.MAX_VALUE) : complete.lower(incomplete.first()));
    }
}
