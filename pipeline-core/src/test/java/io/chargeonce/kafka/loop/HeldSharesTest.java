// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldSharesTest {
    private final HeldShares held = new HeldShares(100);

    private void add(String share, int records) {
        for (int i = 0; i < records; i++) {
            held.add(share);
        }
    }

    @Test
    void one_share_fills_the_buffer_only_after_the_loop_has_read_ahead() {
        add("flood", 499);
        assertThat(held.counted()).isEqualTo(99);
        add("flood", 1);
        assertThat(held.counted()).isEqualTo(100);
    }

    @Test
    void many_shares_fill_it_as_ever() {
        for (int share = 0; share < 100; share++) {
            add("share " + share, 1);
        }
        assertThat(held.counted()).isEqualTo(100);
    }

    @Test
    void records_without_a_known_share_are_all_counted() {
        add("", 100);
        assertThat(held.counted()).isEqualTo(100);
    }

    @Test
    void what_is_complete_counts_no_more() {
        add("flood", 500);
        add("other", 3);
        for (int i = 0; i < 500; i++) {
            held.remove("flood");
        }
        assertThat(held.counted()).isEqualTo(3);
    }
}
