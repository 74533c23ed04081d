// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.due.DueRepresentments;
import io.chargeonce.payment.DeclineAdvice;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DeclineFailoverTest {

    private static EngineFixture books;
    private final FakePsp first = new FakePsp("first");
    private final FakePsp second = new FakePsp("second");
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void open() {
        process = books.forget().process(first, second);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static FakePsp.Behaviour decline(String code) {
        return (psp, charge) -> new Outcome.Declined(code, "no", Optional.empty());
    }

    private static void merchant(String failover, boolean represents) {
        books.execute("INSERT INTO merchant (merchant_id, decline_failover, represent_declines) VALUES ('acme', '%s', %s)"
                .formatted(failover, represents));
    }

    private String charged() {
        String id = books.accept("order-1");
        process.drain();
        return id;
    }

    @ParameterizedTest
    @CsvSource({"technical,processing_error", "technical,issuer_not_available", "soft,try_again_later", "soft,do_not_honor",
        "soft,generic_decline"})
    void a_decline_that_the_setting_reaches_goes_to_the_other_psp_at_once_and_counts_as_a_presentation(String failover, String code) {
        merchant(failover, false);
        first.then(decline(code));
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).psp()).contains("second");
        assertThat(first.calls).hasSize(1);
        assertThat(books.operation(id).represented()).isEqualTo(1);
        assertThat(books.count("FROM retry_budget WHERE day = current_date AND presented = 1")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"never,processing_error", "technical,do_not_honor", "technical,a_new_code", "soft,a_new_code", "soft,insufficient_funds",
        "soft,lost_card", "soft,authentication_required", "soft,card_velocity_exceeded"})
    void any_other_decline_stays_where_it_is(String failover, String code) {
        merchant(failover, false);
        first.then(decline(code));
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(second.calls).isEmpty();
        assertThat(books.count("FROM retry_budget")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"processing_error,try_again_later,", "processing_error,02,", "processing_error,24,", "processing_error,,51",
        "generic_decline,,59",
        "generic_decline,,12", "stolen_card,,05", "insufficient_funds,,05", "expired_card,,91", "fraudulent,,96"})
    void what_the_network_or_the_psp_says_about_the_card_keeps_it_here(String code, String advice, String network) {
        merchant("soft", false);
        first.then((psp, charge) -> new Outcome.Declined(code, "no", Optional.empty(),
                new DeclineAdvice(Optional.ofNullable(advice), Optional.ofNullable(network))));
        charged();
        assertThat(second.calls).isEmpty();
    }

    @Test
    void it_happens_once_and_the_second_decline_is_the_answer() {
        merchant("soft", false);
        first.then(decline("processing_error"));
        second.then(decline("do_not_honor"));
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("do_not_honor");
        assertThat(first.calls).hasSize(1);
        assertThat(second.calls).hasSize(1);
    }

    @Test
    void a_later_presentation_is_made_at_the_psp_that_declined_last() {
        merchant("soft", true);
        first.then(decline("processing_error"));
        second.then(decline("try_again_later"));
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.SCHEDULED);
        books.execute(
                "UPDATE operation_state SET represent_at = represent_at - interval '3 days', not_before = not_before - interval '3 days'");
        assertThat(new DueRepresentments(books.charging, books.topics, () -> {}).runOnce()).isEqualTo(1);
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).hasSize(1);
        assertThat(second.calls).hasSize(2);
    }

    @Test
    void a_failure_at_the_other_psp_is_tried_again_there_and_not_where_it_was_declined() {
        merchant("technical", false);
        first.then(decline("processing_error"));
        second.then(FakePsp.REFUSE_CONNECTION);
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).hasSize(1);
        assertThat(second.calls).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST_REFUSED", "REFUSED_BY_THIS_PSP", "PSP_UNWELL"})
    void what_fails_for_good_at_the_other_psp_ends_by_the_first_ones_decline(FailureCause cause) {
        merchant("technical", false);
        first.then(decline("processing_error"));
        second.otherwise = (psp, charge) -> new Outcome.Failed(cause, "no");
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("processing_error");
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(first.calls).hasSize(1);
    }

    @Test
    void an_unknown_outcome_at_the_other_psp_is_queried_and_gets_no_third_attempt() {
        merchant("technical", false);
        first.then(decline("processing_error"));
        second.then(FakePsp.TIME_OUT_UNEXECUTED);
        second.answersStatusQueries = false;
        String id = charged();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(first.calls).hasSize(1);
        assertThat(second.calls).hasSize(1);
    }

    @Test
    void what_a_person_found_not_charged_there_leaves_the_queue_as_it_ends_by_the_first_ones_decline() {
        merchant("technical", false);
        first.then(decline("processing_error"));
        second.then(FakePsp.TIME_OUT_UNEXECUTED);
        second.canBeAsked = false;
        second.answer = Optional.of(new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "look in its books", Optional.empty()));
        String id = charged();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.count("FROM dead_letter WHERE cause = 'unresolved' AND state = 'dead'") == 1;
        });
        books.theKeysAreForgotten();
        books.find(id, Optional.empty());
        Waiting.until(() -> process.resolver.runOnce() > 0);
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("processing_error");
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
    }

    @Test
    void a_budget_that_is_used_up_or_a_psp_that_is_not_there_leaves_the_decline_as_the_answer() {
        merchant("technical", false);
        first.then(decline("processing_error"));
        charged();
        books.execute("UPDATE retry_budget SET presented = 15 WHERE day > 'epoch'");
        first.then(decline("processing_error"));
        String id = books.accept("order-2");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(second.calls).hasSize(1);

        first.then(decline("processing_error"));
        books.execute("DELETE FROM retry_budget");
        String alone = books.accept("order-3");
        books.process(io.chargeonce.payment.route.Routes.parse("-> first"), first, second).drain();
        assertThat(books.state(alone)).isEqualTo(OperationState.DECLINED);
        assertThat(books.count("FROM retry_budget WHERE day > 'epoch'")).as("nothing is taken where nothing is sent").isZero();
    }
}
