// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.console.witness.OffsetEvidence.Standing;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What came into a stage has gone out, or is in flight. */
class ConservationTest {

    private static final Instant T = Streamed.START;

    private final Streamed witness = new Streamed();
    private final Told payment = Told.charge("pay_1", 1000, "EUR", T);

    @AfterEach
    void close() {
        witness.close();
    }

    @Test
    void each_stage_counts_operations_and_money_per_currency() {
        Told other = Told.charge("pay_2", 50, "USD", T);
        witness.take(payment.requested(T), other.requested(T), payment.waits(1, "psp_unwell", T.plusSeconds(1)),
                payment.succeeds(T.plusSeconds(9)));
        witness.look();
        assertThat(witness.stage("accepted", "EUR")).isEqualTo(new Stage("accepted", "charge", "EUR", 1, 1000, 1, 1000, 0, 0, 0, 0, null));
        assertThat(witness.stage("requests", "EUR")).isEqualTo(new Stage("requests", "charge", "EUR", 1, 1000, 1, 1000, 0, 0, 0, 0, null));
        assertThat(witness.stage("retry-1", "EUR")).isEqualTo(new Stage("retry-1", "charge", "EUR", 1, 1000, 1, 1000, 0, 0, 0, 0, null));
        assertThat(witness.stage("settled", "EUR")).isEqualTo(new Stage("settled", "charge", "EUR", 1, 1000, 1, 1000, 0, 0, 0, 0, null));
        assertThat(witness.stage("requests", "USD")).isEqualTo(new Stage("requests", "charge", "USD", 1, 50, 0, 0, 1, 50, 0, 0, null));
    }

    @Test
    void what_is_neither_out_nor_in_flight_is_a_difference_that_counts_once_it_lasts() {
        witness.take(payment.requested(T));
        witness.allStand(Standing.FINISHED);
        witness.pass(Duration.ofMinutes(6));
        Stage requests = witness.stage("requests", "EUR");
        assertThat(requests.difference()).isEqualTo(1);
        assertThat(requests.differenceMoney()).isEqualTo(1000);
        assertThat(requests.in()).isEqualTo(requests.out() + requests.inFlight() + requests.difference());
        assertThat(requests.differsSince()).isNotNull();
        assertThat(witness.board.lasting(Duration.ofMinutes(1)).values()).containsOnly(0L);
        witness.pass(Duration.ofMinutes(2));
        assertThat(witness.board.lasting(Duration.ofMinutes(1)).values()).containsOnly(1L);
        witness.take(payment.succeeds(witness.now()));
        witness.look();
        assertThat(witness.differences()).isZero();
        assertThat(witness.stage("requests", "EUR").differsSince()).isNull();
    }

    @Test
    void a_backlog_is_in_flight_however_long() {
        witness.take(payment.requested(T));
        witness.allStand(Standing.AHEAD);
        witness.pass(Duration.ofDays(2));
        assertThat(witness.differences()).isZero();
        assertThat(witness.stage("requests", "EUR").inFlight()).isEqualTo(1);
        assertThat(witness.board.overdue(1)).as("late all the same").hasSize(1);
    }

    @Test
    void a_repeated_record_counts_once_even_after_the_payment_has_ended() {
        var first = payment.requested(T);
        var waits = payment.waits(1, "psp_unwell", T);
        var ended = payment.succeeds(T);
        witness.take(first, first, waits, waits, ended, ended, first, waits);
        witness.pass(Duration.ofHours(2));
        assertThat(witness.stage("requests", "EUR").in()).isEqualTo(1);
        assertThat(witness.stage("retry-1", "EUR").in()).isEqualTo(1);
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(1);
        assertThat(witness.differences()).isZero();
        assertThat(witness.board.overdue(1)).isEmpty();
    }

    @Test
    void a_parked_payment_comes_to_its_tier_again_and_again() {
        witness.take(payment.requested(T));
        for (int i = 0; i < 200; i++) {
            witness.take(payment.waits(3, "breaker_open", witness.now()));
            witness.pass(Duration.ofMinutes(10));
        }
        Stage tier = witness.stage("retry-3", "EUR");
        assertThat(tier.in()).isEqualTo(200);
        assertThat(tier.inFlight()).isEqualTo(1);
        assertThat(tier.difference()).isZero();
        assertThat(witness.events()).isEmpty();
    }

    @Test
    void a_wait_that_a_person_ends_leaves_its_tier_under_the_same_step() {
        witness.take(payment.requested(T), payment.waits(3, "psp_unwell", T), payment.retriedNow(T.plusSeconds(30)));
        witness.look();
        assertThat(witness.stage("retry-3", "EUR").out()).isEqualTo(1);
        assertThat(witness.stage("requests", "EUR").in()).isEqualTo(2);
        assertThat(witness.stage("requests", "EUR").inFlight()).isEqualTo(1);
    }

    @Test
    void dead_letters_come_in_and_go_out_by_merge_purge_and_restore() {
        witness.take(payment.requested(T), payment.dies("psp_unwell", T.plusSeconds(1)));
        witness.look();
        assertThat(witness.stage("dlq", "EUR")).isEqualTo(new Stage("dlq", "charge", "EUR", 1, 1000, 0, 0, 1, 1000, 0, 0, null));
        assertThat(witness.stage("requests", "EUR").inFlight()).as("the dead one is not at work").isZero();

        witness.take(payment.leaves("purged", T.plusSeconds(2)));
        witness.look();
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(1);
        witness.take(payment.dies("psp_unwell", T.plusSeconds(1)));
        witness.look();
        assertThat(witness.stage("settled", "EUR").in()).as("a purge was undone").isZero();
        assertThat(witness.stage("dlq", "EUR").in()).isEqualTo(2);

        witness.take(payment.merged(T.plusSeconds(5)), payment.leaves("merged", T.plusSeconds(5)), payment.succeeds(T.plusSeconds(6)));
        witness.pass(Duration.ofHours(1));
        assertThat(witness.stage("dlq", "EUR").inFlight()).isZero();
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(1);
        assertThat(witness.differences()).isZero();
    }

    @Test
    void a_letter_that_stays_on_its_topic_after_its_payment_ended_is_a_difference() {
        witness.take(payment.requested(T), payment.dies("psp_unwell", T.plusSeconds(1)), payment.merged(T.plusSeconds(5)),
                payment.succeeds(T.plusSeconds(6)));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.stage("dlq", "EUR").difference()).isEqualTo(1);
        witness.take(payment.leaves("merged", witness.now()));
        witness.look();
        assertThat(witness.differences()).isZero();
    }

    @Test
    void a_purge_is_over_for_good_after_its_time() {
        witness.take(payment.requested(T), payment.dies("psp_unwell", T.plusSeconds(1)), payment.leaves("purged", T.plusSeconds(2)),
                payment.purgedForGood(T.plusSeconds(3)));
        witness.pass(Duration.ofDays(1));
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(1);
        assertThat(witness.stage("accepted", "EUR").inFlight()).isZero();
    }

    @Test
    void refunds_stand_beside_their_charge_and_are_counted_for_themselves() {
        Told refund = Told.refund("pay_1", 400, "EUR", T);
        witness.take(payment.requested(T), payment.succeeds(T), refund.requested(T), refund.waits(1, "waits_for_payment", T),
                refund.succeeds(T.plusSeconds(9)));
        witness.look();
        assertThat(witness.stage("accepted", "charge", "EUR"))
                .isEqualTo(new Stage("accepted", "charge", "EUR", 1, 1000, 1, 1000, 0, 0, 0, 0, null));
        assertThat(witness.stage("accepted", "refund", "EUR"))
                .isEqualTo(new Stage("accepted", "refund", "EUR", 1, 400, 1, 400, 0, 0, 0, 0, null));
        assertThat(witness.board.journey("pay_1")).extracting(Hop::step)
                .containsExactlyInAnyOrder("charge/1", "charge/2", "refund/1", "refund/2", "refund/3");
    }

    @Test
    void history_may_begin_in_the_middle() {
        payment.requested(T);
        witness.take(payment.waits(2, "psp_unwell", T), payment.succeeds(T));
        Told onlyItsEnd = Told.charge("pay_2", 5, "EUR", T);
        onlyItsEnd.requested(T);
        witness.take(onlyItsEnd.succeeds(T));
        Told onlyItsTombstone = Told.charge("pay_3", 7, "EUR", T);
        witness.take(onlyItsTombstone.leaves("merged", T));
        Told old = Told.charge("pay_4", 9, "EUR", T.minus(Duration.ofDays(20)));
        witness.take(old.requested(T.minus(Duration.ofDays(20))));
        Told mergedLongAgo = Told.charge("pay_5", 11, "EUR", T.minus(Duration.ofDays(60)));
        witness.take(mergedLongAgo.dies("psp_unwell", T.minus(Duration.ofDays(60))),
                mergedLongAgo.leaves("merged", T.minus(Duration.ofDays(59))));
        witness.pass(Duration.ofDays(1));
        assertThat(witness.differences()).isZero();
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(2);
    }

    @Test
    void a_late_success_after_a_decline_is_one_settled_operation() {
        witness.take(payment.requested(T), payment.declines("do_not_honor", T), payment.succeeds(T));
        witness.look();
        assertThat(witness.stage("settled", "EUR").in()).isEqualTo(1);
    }
}
