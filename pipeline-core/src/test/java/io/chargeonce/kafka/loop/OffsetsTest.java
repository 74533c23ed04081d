// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class OffsetsTest {
    private final Offsets offsets = new Offsets();

    @Test
    void nothing_is_committable_before_the_first_record_is_complete() {
        offsets.add(7, Optional.empty());

        assertThat(offsets.committable()).isEmpty();
    }

    @Test
    void an_incomplete_record_holds_back_all_that_follow_it() {
        Offsets.Mark slow = offsets.add(7, Optional.empty());
        Offsets.Mark quick = offsets.add(8, Optional.empty());

        offsets.complete(quick);
        assertThat(offsets.committable()).isEmpty();
        assertThat(offsets.uncommittable()).isEqualTo(2);

        offsets.complete(slow);
        assertThat(offsets.committable()).contains(new OffsetAndMetadata(9, Optional.empty(), ""));
        assertThat(offsets.uncommittable()).isZero();
    }

    @Test
    void the_leader_epoch_is_that_of_the_last_record_below_the_offset() {
        Offsets.Mark first = offsets.add(7, Optional.of(3));
        offsets.add(9, Optional.of(4));

        offsets.complete(first);

        assertThat(offsets.committable()).contains(new OffsetAndMetadata(8, Optional.of(3), ""));
    }

    @Test
    void a_record_that_is_complete_twice_is_a_bug() {
        Offsets.Mark mark = offsets.add(7, Optional.empty());
        offsets.complete(mark);

        assertThatThrownBy(() -> offsets.complete(mark)).hasMessageContaining("Bug!").hasMessageContaining("7");
    }

    @Test
    void a_log_that_jumped_back_is_noticed() {
        Offsets.Mark mark = offsets.add(7, Optional.empty());

        assertThat(offsets.isFollowedBy(7)).isFalse();
        assertThat(offsets.isFollowedBy(20)).isTrue();

        offsets.complete(mark);
        assertThat(offsets.isFollowedBy(7)).isFalse();
        assertThat(offsets.isFollowedBy(8)).isTrue();
    }
}
