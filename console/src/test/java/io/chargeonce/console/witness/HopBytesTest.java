// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class HopBytesTest {

    private static final int KAFKAS_LIMIT = 1 << 20;

    @Test
    void the_hops_of_one_moment_grow_to_a_size_that_kafka_takes_and_those_that_are_there_stay() {
        byte[] hops = null;
        for (int offset = 0; offset < 10_000; offset++) {
            hops = HopBytes.more(hops, hop(offset)).orElse(hops);
        }
        assertThat(hops).hasSizeBetween(64 << 10, KAFKAS_LIMIT / 10);
        assertThat(HopBytes.read(hops)).hasSizeGreaterThan(50).startsWith(hop(0), hop(1), hop(2)).doesNotHaveDuplicates();
        assertThat(HopBytes.more(hops, hop(10_000))).isEmpty();
    }

    @Test
    void a_hop_that_is_there_is_not_added_again() {
        byte[] one = HopBytes.more(null, hop(1)).orElseThrow();
        assertThat(HopBytes.more(one, hop(1))).isEmpty();
        assertThat(HopBytes.read(HopBytes.more(one, hop(2)).orElseThrow())).containsExactly(hop(1), hop(2));
    }

    /** With words as long as they may be. */
    private static Hop hop(long offset) {
        return new Hop(Instant.EPOCH, "settled", "charge/2", 0, "\u20ac".repeat(240), "\u20ac".repeat(120), 0, offset);
    }
}
