// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares {@code Offsets}, step by step, with its plain definition. */
class OffsetsPropertyTest {

    @ParameterizedTest(name = "seeds {0} to {1}")
    @CsvSource({"1, 250", "251, 500", "501, 750", "751, 1000"})
    void in_any_order_of_completion_only_offsets_below_the_lowest_incomplete_are_committable(int from, int to) {
        for (int seed = from; seed <= to; seed++) {
            compare(seed);
        }
    }

    private static void compare(int seed) {
        Random random = new Random(seed);
        int steps = 1 + random.nextInt(200);
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
            assertThat(offsets.committable().map(OffsetAndMetadata::offset)).as("seed %d, step %d", seed, step)
                    .isEqualTo(lastBelow(incomplete, complete).map(last -> last + 1));
        }
    }

    private record Marked(long offset, Offsets.Mark mark) {}

    private static Optional<Long> lastBelow(TreeSet<Long> incomplete, TreeSet<Long> complete) {
        return Optional.ofNullable(incomplete.isEmpty() ? complete.floor(Long.MAX_VALUE) : complete.lower(incomplete.first()));
    }
}
