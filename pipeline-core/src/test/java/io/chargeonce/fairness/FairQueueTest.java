// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairQueueTest {

    private final FairQueue<String> queue = new FairQueue<>(4);

    private void offer(String... items) {
        for (String item : items) {
            assertThat(queue.offer(item.substring(0, 1), item)).isEmpty();
        }
    }

    private List<String> take(int most, int mostOfOne) {
        var taken = new ArrayList<String>();
        queue.takeInto(taken, most, mostOfOne);
        return taken;
    }

    @Test
    void lines_take_turns_and_each_keeps_its_order() {
        offer("a1", "a2", "a3", "b1");
        assertThat(take(10, 10)).isEqualTo(List.of("a1", "b1", "a2", "a3"));
    }

    @Test
    void of_several_none_fills_a_batch() {
        offer("a1", "a2", "a3", "b1");
        assertThat(take(10, 2)).isEqualTo(List.of("a1", "b1", "a2"));
    }

    @Test
    void a_lone_line_may_have_all_room_and_a_new_line_takes_its_last_place() {
        offer("a1", "a2", "a3", "a4");
        assertThat(queue.offer("a", "a5")).contains("a5");
        assertThat(queue.offer("b", "b1")).contains("a4");
        assertThat(queue.offer("b", "b2")).contains("a3");
        assertThat(queue.offer("b", "b3")).contains("b3");
        assertThat(queue.takeAll()).containsExactly("a1", "b1", "a2", "b2");
    }
}
