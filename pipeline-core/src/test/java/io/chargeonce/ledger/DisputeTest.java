// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ledger.Dispute.Funds;
import io.chargeonce.ledger.Dispute.Report;
import io.chargeonce.ledger.Dispute.Stage;
import io.chargeonce.payment.Money;
import io.chargeonce.wire.PaymentJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** How reports of a PSP become one dispute. */
class DisputeTest {

    private static final Instant DUE = Instant.parse("2026-01-20T00:00:00Z");
    private static final Report INQUIRY = report(Stage.INQUIRY, 10, Optional.empty(), 1299);
    private static final Report OPENED = report(Stage.OPENED, 30, Optional.empty(), 1299);
    private static final Report TAKEN = report(Stage.OPENED, 40, Optional.of(Funds.TAKEN), 700);
    private static final Report RETURNED = report(Stage.OPENED, 50, Optional.of(Funds.RETURNED), 700);
    private static final Report ANSWERED = new Report("D1", Optional.of("P1"), Optional.empty(), "", "answered", Optional.of(day(15)), true,
            Stage.OPENED, 0, false, Optional.empty(), 0, false, true, Optional.empty());
    private static final Report LOST = report(Stage.LOST, 81, Optional.of(Funds.TAKEN), 700);
    private static final Report WON = report(Stage.WON, 90, Optional.of(Funds.RETURNED), 700);

    private static Report report(Stage stage, int rank, Optional<Funds> funds, long amount) {
        boolean isFinal = stage == Stage.WON || stage == Stage.LOST;
        return new Report("D1", Optional.of("P1"), Optional.of(new Money(amount, "EUR")), "fraudulent", stage.tag(),
                Optional.of(day(rank)), true, stage, rank, isFinal, funds,
                funds.isPresent() ? rank : 0, false, isFinal, Optional.of(DUE).filter(due -> !isFinal));
    }

    /** In the course of the dispute. */
    private static Instant day(int rank) {
        return DUE.minus(Duration.ofDays(100 - rank));
    }

    private static Dispute after(List<Report> reports) {
        Dispute dispute = Dispute.of("adyen", "pay_1", reports.getFirst());
        for (Report report : reports.subList(1, reports.size())) {
            dispute = dispute.after(report);
        }
        return dispute;
    }

    @RepeatedTest(50)
    void in_whatever_order_and_number_reports_come_the_dispute_is_the_same() {
        List<Report> all = List.of(INQUIRY, ANSWERED, OPENED, TAKEN, RETURNED, LOST, WON);
        var random = new Random();
        List<Report> some = all.subList(0, 1 + random.nextInt(all.size()));
        var shuffled = new ArrayList<>(some);
        shuffled.addAll(some);
        Collections.shuffle(shuffled, random);
        assertThat(after(shuffled)).usingRecursiveComparison().ignoringFields("revision").isEqualTo(after(some));
    }

    @Test
    void a_late_message_reopens_nothing_that_is_lost() {
        Dispute lost = after(List.of(LOST));
        assertThat(lost.after(OPENED)).isSameAs(lost);
        assertThat(lost.after(RETURNED)).isSameAs(lost);
        assertThat(lost).extracting(Dispute::stage, Dispute::isFinal, Dispute::funds).containsExactly(Stage.LOST, true, Funds.TAKEN);
    }

    @Test
    void only_money_that_is_taken_and_that_the_psp_does_not_refund_keeps_refunds_out() {
        assertThat(after(List.of(OPENED)).keepsRefundsOut()).isFalse();
        assertThat(after(List.of(OPENED, TAKEN)).keepsRefundsOut()).isTrue();
        assertThat(after(List.of(TAKEN, RETURNED)).keepsRefundsOut()).isFalse();
        assertThat(after(List.of(RETURNED, LOST, TAKEN)).keepsRefundsOut()).isTrue();
    }

    @Test
    void amounts_are_never_added_up_and_that_of_the_money_that_moved_counts() {
        assertThat(after(List.of(OPENED, TAKEN, OPENED, TAKEN, RETURNED)).money()).hasValue(new Money(700, "EUR"));
        assertThat(after(List.of(TAKEN, OPENED)).money()).hasValue(new Money(700, "EUR"));
    }

    @Test
    void an_answer_is_due_until_it_was_given_and_again_at_the_next_stage() {
        assertThat(after(List.of(INQUIRY)).toAnswerBy()).hasValue(DUE);
        assertThat(after(List.of(INQUIRY, ANSWERED)).toAnswerBy()).isEmpty();
        assertThat(after(List.of(INQUIRY, ANSWERED, TAKEN)).toAnswerBy()).hasValue(DUE);
        assertThat(after(List.of(TAKEN, LOST)).toAnswerBy()).isEmpty();
    }

    @Test
    void an_answer_that_is_told_before_its_question_or_after_the_next_one_counts_for_its_own() {
        assertThat(after(List.of(ANSWERED, INQUIRY)).toAnswerBy()).isEmpty();
        assertThat(after(List.of(INQUIRY, TAKEN, ANSWERED)).toAnswerBy()).hasValue(DUE);
        assertThat(after(List.of(ANSWERED, TAKEN, INQUIRY)).toAnswerBy()).hasValue(DUE);
    }

    @Test
    void a_report_that_is_kept_as_json_says_the_same_when_it_is_read_again() {
        for (Report report : List.of(INQUIRY, TAKEN, ANSWERED, LOST)) {
            assertThat(PaymentJson.MAPPER.readValue(PaymentJson.MAPPER.writeValueAsString(report), Report.class)).isEqualTo(report);
        }
    }
}
