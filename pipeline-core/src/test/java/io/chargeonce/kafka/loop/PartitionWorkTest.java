// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionWorkTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final BufferLimit ROOMY = new BufferLimit(100, 1 << 20, 1_000);
    private final List<HeldRecord> ready = new ArrayList<>();

    @Test
    void the_next_record_of_a_key_becomes_ready_when_the_one_before_is_complete() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        hold(work, 1, "a", NOW);
        hold(work, 2, "b", NOW);

        work.releaseDue(NOW, ready::add);
        assertThat(offsetsOf(ready)).containsExactly(0L, 2L);

        HeldRecord first = begun(work, 0);
        assertThat(work.complete(first)).map(next -> next.record.offset()).contains(1L);
    }

    @Test
    void a_record_waits_until_it_is_due_and_all_fetched_before_it_are() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW.plusSeconds(2));
        hold(work, 1, "b", NOW.plusSeconds(1));

        work.releaseDue(NOW.plusSeconds(2).minusNanos(1), ready::add);
        assertThat(ready).isEmpty();
        assertThat(work.nextDue()).contains(NOW.plusSeconds(2));

        work.releaseDue(NOW.plusSeconds(2), ready::add);
        assertThat(offsetsOf(ready)).containsExactly(0L, 1L);
        assertThat(work.nextDue()).isEmpty();
    }

    @Test
    void a_given_back_record_keeps_its_key_and_its_offset_until_it_is_complete() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        hold(work, 1, "a", NOW);
        hold(work, 2, "b", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord early = begun(work, 0);
        HeldRecord other = begun(work, 1);

        work.giveBack(early, NOW.plusSeconds(1));
        work.complete(other);
        ready.clear();
        work.releaseDue(NOW, ready::add);
        assertThat(ready).isEmpty();
        assertThat(work.committable()).isEmpty();

        work.releaseDue(NOW.plusSeconds(1), ready::add);
        assertThat(ready).containsExactly(early);
        assertThat(work.complete(begun(work, 0))).map(next -> next.record.offset()).contains(1L);
        assertThat(work.committable()).map(OffsetAndMetadata::offset).contains(1L);
    }

    @Test
    void an_abandoned_partition_starts_nothing_but_still_counts_what_completes() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        hold(work, 1, "a", NOW);
        hold(work, 2, "b", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord running = begun(work, 0);

        work.abandon();

        assertThat(work.begin(ready.get(1), NOW)).isFalse();
        assertThat(work.complete(running)).isEmpty();
        assertThat(work.committable()).map(OffsetAndMetadata::offset).contains(1L);
    }

    @Test
    void waiting_for_records_in_flight_ends_with_the_last_completion_or_the_deadline() throws InterruptedException {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord running = begun(work, 0);

        assertThat(work.awaitQuiet(System.nanoTime())).isFalse();

        Thread.ofVirtual().start(() -> work.complete(running));
        assertThat(work.awaitQuiet(System.nanoTime() + Duration.ofMinutes(1).toNanos())).isTrue();
    }

    @Test
    void of_a_record_that_was_handed_over_twice_only_the_first_completion_counts() throws InterruptedException {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        hold(work, 1, "b", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord stuck = begun(work, 0);
        assertThat(work.runningSinceBefore(NOW)).isEmpty();
        assertThat(work.runningSinceBefore(NOW.plusNanos(1))).containsExactly(stuck);

        begun(work, 0);
        assertThat(work.runningSinceBefore(NOW.plusSeconds(9))).isEmpty();
        work.complete(stuck);
        assertThat(work.committable()).map(OffsetAndMetadata::offset).contains(1L);
        assertThat(work.awaitQuiet(System.nanoTime())).isTrue();

        assertThat(work.complete(stuck)).isEmpty();
        work.giveBack(stuck, NOW);
        assertThat(work.nextDue()).isEmpty();
        assertThat(work.begin(stuck, NOW)).isFalse();
    }

    @Test
    void a_record_that_both_of_its_handlings_give_back_comes_again_once() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord twice = begun(work, 0);
        begun(work, 0);

        work.giveBack(twice, NOW.plusSeconds(1));
        work.giveBack(twice, NOW.plusSeconds(2));
        ready.clear();

        assertThat(work.releaseDue(NOW.plusSeconds(9), ready::add)).isEqualTo(1);
        assertThat(ready).containsExactly(twice);
    }

    @Test
    void what_the_second_handling_gave_back_is_not_handed_over_again_before_it_is_due() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        work.releaseDue(NOW, ready::add);
        HeldRecord stuck = begun(work, 0);
        begun(work, 0);
        work.giveBack(stuck, NOW.plusSeconds(600));

        assertThat(work.runningSinceBefore(NOW.plusSeconds(60))).isEmpty();
    }

    @Test
    void unfetched_records_count_as_overdue_while_the_last_that_was_fetched_is() {
        PartitionWork work = work(ROOMY);
        work.behind(OptionalLong.of(1_000_000));
        hold(work, 0, "a", NOW);
        hold(work, 1, "a", NOW.plusSeconds(5));

        assertThat(work.overdue(NOW).records()).isEqualTo(1);
        assertThat(work.overdue(NOW.plusSeconds(5))).isEqualTo(new Overdue(1_000_002, NOW));
    }

    @Test
    void a_full_buffer_has_room_again_when_it_is_half_empty() {
        PartitionWork work = work(new BufferLimit(4, 1 << 20, 1_000));
        for (int offset = 0; offset < 4; offset++) {
            assertThat(work.isFull()).isFalse();
            hold(work, offset, "key-" + offset, NOW);
        }
        work.releaseDue(NOW, ready::add);
        assertThat(work.isFull()).isTrue();

        work.complete(begun(work, 0));
        assertThat(work.isFull()).isTrue();
        work.complete(begun(work, 1));
        assertThat(work.isFull()).isFalse();
    }

    @Test
    void what_holds_offsets_below_their_limit_does_not_keep_a_buffer_of_records_full() {
        PartitionWork work = work(new BufferLimit(4, 1 << 20, 8));
        for (int offset = 0; offset < 4; offset++) {
            hold(work, offset, "key-" + offset, NOW);
        }
        work.releaseDue(NOW, ready::add);
        for (int index = 1; index < 4; index++) {
            work.complete(begun(work, index));
            hold(work, 3 + index, "more-" + index, NOW);
        }
        assertThat(work.isFull()).isTrue();
        work.releaseDue(NOW, ready::add);
        work.complete(begun(work, 4));
        work.complete(begun(work, 5));

        assertThat(work.isFull()).as("2 of 4 records are held, and 7 of 8 offsets wait for the first of them").isFalse();
    }

    @Test
    void large_records_fill_a_buffer_too() {
        PartitionWork work = work(new BufferLimit(100, 22, 1_000));
        hold(work, 0, "a", NOW);
        assertThat(work.isFull()).isFalse();
        hold(work, 1, "b", NOW);
        assertThat(work.isFull()).isTrue();
    }

    @Test
    void too_many_complete_records_behind_a_slow_one_fill_a_buffer_too() {
        PartitionWork work = work(new BufferLimit(3, 1 << 20, 4));
        hold(work, 0, "slow", NOW);
        for (int offset = 1; offset < 4; offset++) {
            assertThat(work.isFull()).isFalse();
            hold(work, offset, "quick", NOW);
            work.releaseDue(NOW, ready::add);
            work.complete(begun(work, offset));
        }
        assertThat(work.isFull()).isTrue();
    }

    @Test
    void an_offset_is_asked_for_once_and_again_only_after_it_changed_or_failed() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW);
        work.releaseDue(NOW, ready::add);
        work.complete(begun(work, 0));

        assertThat(work.takeChangedOffset()).isPresent();
        assertThat(work.takeChangedOffset()).isEmpty();
        work.commitFailed();
        assertThat(work.takeChangedOffset()).isPresent();
    }

    @Test
    void what_is_due_and_not_started_is_overdue_since_its_due_time() {
        PartitionWork work = work(ROOMY);
        hold(work, 0, "a", NOW.minusSeconds(9));
        hold(work, 1, "b", NOW.minusSeconds(5));
        hold(work, 2, "c", NOW.plusSeconds(1));
        work.releaseDue(NOW, ready::add);
        begun(work, 0);

        assertThat(work.overdue(NOW)).isEqualTo(new Overdue(1, NOW.minusSeconds(5)));
    }

    private static PartitionWork work(BufferLimit limit) {
        PartitionWork work = new PartitionWork(new TopicPartition("topic", 0), limit, BufferBudget.ofMebibytes(1), new Signal());
        work.belongsTo("topic-1");
        return work;
    }

    private static void hold(PartitionWork work, long offset, String key, Instant due) {
        work.hold(Records.of(offset, key), due);
    }

    private HeldRecord begun(PartitionWork work, int indexOfReady) {
        HeldRecord held = ready.get(indexOfReady);
        assertThat(work.begin(held, NOW)).isTrue();
        return held;
    }

    private static List<Long> offsetsOf(List<HeldRecord> records) {
        return records.stream().map(held -> held.record.offset()).toList();
    }
}
