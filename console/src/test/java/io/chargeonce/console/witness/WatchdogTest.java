// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.console.witness.OffsetEvidence.Standing;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.streams.test.TestRecord;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is overdue, and what is not. */
class WatchdogTest {

    private final Streamed witness = new Streamed();
    private final Told payment = Told.charge("pay_1", 1299, "EUR", Streamed.START);

    @AfterEach
    void close() {
        witness.close();
    }

    @Test
    void a_payment_of_which_nothing_more_is_heard_is_overdue_after_minutes() {
        witness.take(payment.requested(Streamed.START));
        witness.pass(Duration.ofMinutes(4));
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.events()).isEmpty();

        witness.pass(Duration.ofMinutes(2));
        assertThat(witness.board.overdue(10))
                .containsExactly(new OverdueOperation("pay_1", "pay_1", "acme", 1299, "EUR", Streamed.START, "requests",
                        Streamed.START, Streamed.START.plus(Streamed.GRACE)));
        assertThat(witness.board.overdueSum())
                .isEqualTo(new OverdueSum(1, List.of(new OverdueSum.Sum("EUR", 1299, 1)), Streamed.START.plus(Streamed.GRACE)));
        TestRecord<String, byte[]> event = witness.events().getFirst();
        assertThat(event.key()).isEqualTo("pay_1");
        assertThat(header(event, "ce_type")).isEqualTo("io.chargeonce.payment.overdue");
        assertThat(header(event, "ce_id")).startsWith("pay_1/1/overdue/");
        assertThat(header(event, "ce_source")).isEqualTo(Told.SOURCE);
        JsonNode told = PaymentJson.MAPPER.readTree(event.value());
        assertThat(told.path("status").asString()).isEqualTo("overdue");
        assertThat(told.path("last_stage").asString()).isEqualTo("requests");
        assertThat(told.path("amount").asLong()).isEqualTo(1299);
    }

    @Test
    void it_is_told_once_and_told_again_when_it_is_over() {
        witness.take(payment.requested(Streamed.START));
        witness.pass(Duration.ofMinutes(6));
        witness.pass(Duration.ofMinutes(6));
        assertThat(statuses()).containsExactly("overdue");

        witness.take(payment.succeeds(witness.now()));
        witness.look();
        assertThat(statuses()).containsExactly("over");
        assertThat(witness.board.overdueSum()).isEqualTo(new OverdueSum(0, List.of(), null));
    }

    @Test
    void work_that_is_staged_again_under_the_same_step_is_not_overdue_any_more() {
        witness.take(payment.requested(Streamed.START));
        witness.pass(Duration.ofMinutes(6));
        witness.take(payment.requested(witness.now()));
        witness.look();
        assertThat(statuses()).containsExactly("overdue", "over");
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.stage("requests", "EUR").in()).isEqualTo(1);
    }

    @Test
    void a_payment_in_a_tier_has_the_delay_of_that_tier_too() {
        witness.take(payment.requested(Streamed.START), payment.waits(3, "psp_unwell", Streamed.START));
        witness.pass(Duration.ofMinutes(14));
        assertThat(witness.board.overdue(10)).isEmpty();
        witness.pass(Duration.ofMinutes(2));
        assertThat(witness.board.overdue(10)).extracting(OverdueOperation::lastStage).containsExactly("retry-3");
    }

    @Test
    void a_payment_whose_record_is_gone_from_its_tier_is_overdue_before_it_is_due_there() {
        witness.take(payment.requested(Streamed.START));
        long offset = witness.take(payment.waits(3, "psp_unwell", Streamed.START));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(10)).isEmpty();
        witness.stands(offset, Standing.GONE);
        witness.look();
        assertThat(witness.board.overdue(10)).hasSize(1);
        assertThat(witness.stage("retry-3", "EUR").difference()).isEqualTo(1);
    }

    @Test
    void settled_declined_and_dead_payments_are_never_overdue() {
        Told declined = Told.charge("pay_2", 5, "EUR", Streamed.START);
        Told dead = Told.charge("pay_3", 7, "EUR", Streamed.START);
        witness.take(payment.requested(Streamed.START), declined.requested(Streamed.START), dead.requested(Streamed.START),
                payment.succeeds(Streamed.START), declined.declines("stolen_card", Streamed.START),
                dead.dies("request_refused", Streamed.START.plusSeconds(1)));
        witness.pass(Duration.ofDays(3));
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.events()).isEmpty();
    }

    @Test
    void a_payment_whose_outcome_is_unknown_is_not_overdue_once_people_see_it_in_the_queue() {
        witness.take(payment.requested(Streamed.START));
        witness.pass(Duration.ofMinutes(6));
        assertThat(statuses()).containsExactly("overdue");
        witness.take(payment.listed("unresolved", witness.now()));
        witness.pass(Duration.ofHours(5));
        assertThat(statuses()).containsExactly("over");
        witness.take(payment.leaves("settled", witness.now()), payment.succeeds(witness.now()));
        witness.pass(Duration.ofHours(5));
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.differences()).isZero();
    }

    @Test
    void an_unknown_outcome_is_not_overdue_while_its_psp_is_asked_and_is_when_it_is_asked_no_more() {
        witness.allStand(Standing.FINISHED);
        witness.take(payment.requested(Streamed.START));
        for (int i = 0; i < 3; i++) {
            witness.take(payment.unknownUntil(witness.now().plus(Duration.ofHours(1)), witness.now()));
            witness.pass(Duration.ofHours(1));
            assertThat(witness.board.overdue(9)).isEmpty();
            assertThat(witness.differences()).isZero();
        }
        assertThat(witness.stage("requests", "EUR").inFlight()).isEqualTo(1);
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(9)).extracting(OverdueOperation::lastStage).containsExactly("waiting");
        assertThat(witness.stage("requests", "EUR").difference()).isEqualTo(1);
        witness.take(payment.succeeds(witness.now()));
        witness.look();
        assertThat(statuses()).containsExactly("overdue", "over");
        assertThat(witness.differences()).isZero();
    }

    @Test
    void a_declined_payment_that_is_presented_again_days_later_is_not_overdue_until_then() {
        witness.allStand(Standing.FINISHED);
        witness.take(payment.requested(Streamed.START),
                payment.presentedAgainAt(Streamed.START.plus(Duration.ofDays(3)), Streamed.START.plusSeconds(1)));
        witness.pass(Duration.ofDays(3));
        assertThat(witness.board.overdue(9)).isEmpty();
        assertThat(witness.differences()).isZero();
        witness.take(payment.retriedNow(witness.now()));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(9)).extracting(OverdueOperation::lastStage).containsExactly("requests");
    }

    @Test
    void an_unknown_outcome_that_people_saw_and_that_is_tried_again_is_watched_again() {
        witness.take(payment.requested(Streamed.START), payment.unknownUntil(Streamed.START.plusSeconds(30), Streamed.START.plusSeconds(1)),
                payment.listed("unresolved", Streamed.START.plusSeconds(60)),
                payment.unknownUntil(Streamed.START.plus(Duration.ofMinutes(10)), Streamed.START.plusSeconds(90)));
        witness.pass(Duration.ofHours(1));
        assertThat(witness.board.overdue(9)).isEmpty();
        assertThat(witness.differences()).isZero();
        witness.take(payment.leaves("settled", witness.now()), payment.waits(1, "cancelled_unexecuted", witness.now()));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(9)).extracting(OverdueOperation::lastStage).containsExactly("retry-1");
    }

    @Test
    void a_merge_whose_record_never_comes_is_overdue() {
        witness.take(payment.requested(Streamed.START), payment.dies("psp_unwell", Streamed.START.plusSeconds(1)));
        witness.pass(Duration.ofHours(1));
        witness.take(payment.leaves("merged", witness.now()));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(10)).extracting(OverdueOperation::lastStage).containsExactly("dlq");
        assertThat(witness.stage("accepted", "EUR").difference()).isEqualTo(1);
        witness.take(payment.merged(witness.now()));
        witness.look();
        assertThat(statuses()).containsExactly("overdue", "over");
    }

    @Test
    void a_purged_payment_is_never_overdue_and_can_be_restored_and_merged() {
        witness.take(payment.requested(Streamed.START), payment.dies("psp_unwell", Streamed.START.plusSeconds(1)),
                payment.leaves("purged", Streamed.START.plusSeconds(2)));
        witness.pass(Duration.ofDays(2));
        assertThat(witness.board.overdue(10)).isEmpty();
        witness.take(payment.dies("psp_unwell", Streamed.START.plusSeconds(1)));
        witness.pass(Duration.ofHours(1));
        assertThat(witness.stage("dlq", "EUR").inFlight()).isEqualTo(1);
        witness.take(payment.leaves("merged", witness.now()), payment.merged(witness.now()));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(10)).extracting(OverdueOperation::lastStage).containsExactly("requests");
    }

    @Test
    void a_witness_that_is_behind_takes_nothing_for_overdue() {
        witness.isBehind(true);
        witness.take(payment.requested(Streamed.START));
        witness.pass(Duration.ofHours(1));
        assertThat(witness.board.overdue(10)).isEmpty();
        witness.take(payment.succeeds(Streamed.START));
        witness.isBehind(false);
        witness.look();
        assertThat(witness.events()).isEmpty();
    }

    @Test
    void a_forged_payment_that_was_never_accepted_is_not_overdue() {
        long offset = witness.take(payment.requested(Streamed.START));
        witness.take(Told.poison("unknown_payment", 0, offset, Streamed.START.plusSeconds(1)));
        witness.pass(Duration.ofHours(1));
        assertThat(witness.board.overdue(10)).isEmpty();
        assertThat(witness.differences()).isZero();
        assertThat(witness.stage("dlq", "", "").inFlight()).isEqualTo(1);
    }

    @Test
    void a_refund_is_watched_for_itself() {
        Told refund = Told.refund("pay_1", 100, "EUR", Streamed.START);
        witness.take(payment.requested(Streamed.START), payment.succeeds(Streamed.START), refund.requested(Streamed.START));
        witness.pass(Duration.ofMinutes(6));
        assertThat(witness.board.overdue(10)).extracting(OverdueOperation::paymentId, OverdueOperation::operationId)
                .containsExactly(Tuple.tuple("pay_1", "payment-pay_1-refund"));
    }

    private List<String> statuses() {
        return witness.events().stream().map(event -> PaymentJson.MAPPER.readTree(event.value()).path("status").asString()).toList();
    }

    private static String header(TestRecord<String, byte[]> event, String name) {
        return new String(event.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
