// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.payment.route.Routes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SeveralPspsTest {

    private final FakePsp first = new FakePsp("first");
    private final FakePsp second = new FakePsp("second");
    private static EngineFixture books;
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void open() {
        process = books.forget().unforgivingProcess(first, second);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static final Outcome REFUSED_HERE = new Outcome.Failed(FailureCause.REFUSED_BY_THIS_PSP, "");
    private static final Outcome CREDENTIAL_REFUSED = new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, "");

    private static Arguments then(Outcome answer, boolean elsewhere) {
        return Arguments.of(answer, elsewhere);
    }

    static Stream<Arguments> answers() {
        return Stream.of(then(new Outcome.Charged("ref"), false),
                then(new Outcome.Failed(FailureCause.CONNECTION_REFUSED, ""), true),
                then(new Outcome.Failed(FailureCause.RATE_LIMITED, ""), true),
                then(new Outcome.Failed(FailureCause.PSP_UNWELL, ""), true),
                then(REFUSED_HERE, true),
                then(CREDENTIAL_REFUSED, true),
                then(new Outcome.Failed(FailureCause.REQUEST_REFUSED, ""), false),
                then(new Outcome.Declined("insufficient_funds", "", Optional.empty()), false),
                then(new Outcome.Declined("lost_card", "", Optional.empty()), false),
                then(new Outcome.Declined("authentication_required", "", Optional.empty()), false),
                then(new Outcome.Unknown(UnknownCause.KEY_IN_USE, "", Optional.empty()), false),
                then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "", Optional.empty()), false),
                then(new Outcome.Unknown(UnknownCause.KEY_MISMATCH, "", Optional.empty()), false));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void another_psp_gets_a_payment_exactly_where_no_money_can_have_moved(Outcome answer, boolean elsewhere) {
        // A burst of refused connections opens the breaker of the first PSP while its one answer is on its way.
        first.answersStatusQueries = false;
        first.then((fake, charge) -> {
            openBreakerOfFirst();
            return answer;
        });
        String id = books.accept("order-1");
        process.handle(books.takeWork().getFirst());
        for (int round = 0; round < 4; round++) {
            books.takeWork().stream().filter(record -> id.equals(new String(record.key())))
                    .forEach(record -> Waiting.until(() -> process.handle(record) instanceof io.chargeonce.kafka.loop.Verdict.Done));
        }
        assertThat(second.captures.stream().filter(charge -> charge.payment().value().equals(id)).count()).isEqualTo(elsewhere ? 1 : 0);
        assertThat(books.count("FROM payment_attempt WHERE NOT failed_definite AND payment_id = '" + id + "'")).isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1234,IQD,adyen", "500,MGA,stripe", "1234,KWD,adyen", "1230,KWD,stripe", "550,MGA,", "10000,XXX,"})
    void a_psp_that_cannot_say_the_amount_is_no_candidate(long minorUnits, String currency, String psp) {
        var stripe = new FakePsp("stripe");
        var adyen = new FakePsp("adyen");
        var both = books.process(stripe, adyen);
        String id = books.accept("order-1", "pm_card_visa", new Money(minorUnits, currency));

        both.drain();

        assertThat(books.operation(id).psp()).isEqualTo(Optional.ofNullable(psp));
        assertThat(books.state(id)).isEqualTo(psp == null ? OperationState.DEAD : OperationState.SUCCEEDED);
        assertThat(stripe.calls.size() + adyen.calls.size()).isEqualTo(psp == null ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({"500,MGA,stripe", "1234,IQD,adyen", "1234,KWD,adyen"})
    void a_failed_attempt_never_goes_on_to_a_psp_that_cannot_say_the_amount(long minorUnits, String currency, String psp) {
        var stripe = new FakePsp("stripe");
        var adyen = new FakePsp("adyen");
        (psp.equals("stripe") ? stripe : adyen).then(FakePsp.FAIL);
        String id = books.accept("order-1", "pm_card_visa", new Money(minorUnits, currency));

        books.process(stripe, adyen).drain();

        assertThat((psp.equals("stripe") ? adyen : stripe).calls).isEmpty();
        assertThat(books.operation(id).psp()).contains(psp);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_refund_that_its_psp_cannot_say_becomes_a_dead_letter_and_sends_nothing() {
        var stripe = new FakePsp("stripe");
        var process = books.process(stripe);
        String id = books.accept("order-1", "pm_card_visa", new Money(1230, "KWD"));
        String refund = ((Refunds.Answer.Accepted) books.refund(id, OptionalLong.of(1), "")).refund().id();

        process.drain();

        assertThat(books.state(refund)).isEqualTo(OperationState.DEAD);
        assertThat(stripe.refunds.given).isEmpty();
        assertThat(books.refund(id, OptionalLong.of(5), "second")).isInstanceOf(Refunds.Answer.NotRepresentable.class);
        assertThat(books.refund(id, OptionalLong.of(10), "third")).isInstanceOf(Refunds.Answer.Accepted.class);
    }

    private void openBreakerOfFirst() {
        first.otherwise = FakePsp.REFUSE_CONNECTION;
        IntStream.range(0, 20).forEach(i -> books.accept("burst-" + i));
        books.takeWork().forEach(process::handle);
    }

    @Test
    void a_fresh_payment_avoids_a_psp_whose_breaker_is_open() {
        openBreakerOfFirst();
        int calls = first.calls.size();
        String id = books.accept("fresh");
        books.takeWork().stream().filter(record -> id.equals(new String(record.key()))).forEach(process::handle);
        assertThat(books.operation(id).psp()).contains("second");
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).hasSize(calls);
    }

    @Test
    void an_unknown_outcome_is_asked_about_where_the_money_may_be_and_nowhere_else() {
        first.answersStatusQueries = false;
        first.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = books.accept("order-1");
        process.drain();
        first.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() > 0 && books.state(id) == OperationState.SUCCEEDED);
        assertThat(books.operation(id).psp()).contains("first");
        assertThat(second.calls).isEmpty();
        assertThat(second.queries).isEmpty();
    }

    @Test
    void a_psp_that_refused_a_payment_never_gets_it_again() {
        first.otherwise = (psp, charge) -> REFUSED_HERE;
        second.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).hasSize(1);
        assertThat(second.calls).hasSize(2);
    }

    @Test
    void what_every_psp_refuses_becomes_a_dead_letter() {
        first.otherwise = (psp, charge) -> REFUSED_HERE;
        second.otherwise = (psp, charge) -> REFUSED_HERE;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'no_route'")).isEqualTo(1);
        assertThat(List.of(first.calls.size(), second.calls.size())).containsExactly(1, 1);
    }

    @Test
    void a_raw_token_waits_for_its_psp_and_never_goes_to_another() {
        first.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        var pinned = books.process(Routes.parse("-> first,second"), first, second);
        pinned.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).isIn(OperationState.SCHEDULED, OperationState.PARKED);
        pinned.drain();
        assertThat(first.captures).hasSize(1);
        assertThat(second.calls).isEmpty();
    }

    @Test
    void while_routes_change_a_process_with_the_old_ones_buries_nothing_that_the_new_ones_match() {
        String id = books.accept("order-1");
        var old = books.process(Routes.parse("currency=USD -> first"), first, second);
        books.takeWork().forEach(old::handle);
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains("no_route");
        var renewed = books.process(Routes.parse("currency=USD -> first; -> second"), first, second);
        renewed.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(second.captures).hasSize(1);
    }

    @Test
    void what_no_route_matches_dies_after_it_has_waited_in_every_tier() {
        String id = books.accept("order-1");
        books.process(Routes.parse("currency=USD -> first"), first, second).drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'no_route'")).isEqualTo(1);
        assertThat(first.calls).isEmpty();
    }

    @Test
    void one_refused_credential_keeps_every_further_payment_away() {
        first.otherwise = (psp, charge) -> CREDENTIAL_REFUSED;
        IntStream.range(0, 10).forEach(i -> books.accept("order-" + i));
        process.drain();
        assertThat(first.calls).hasSize(1);
        assertThat(second.captures).hasSize(10);
        assertThat(process.meters.counter("chargeonce.psp.credential.refused", "psp", "first").count()).isEqualTo(1);
    }

    @Test
    void a_psp_that_declines_what_others_accept_comes_last() {
        first.otherwise = FakePsp.DECLINE;
        IntStream.range(0, 20).forEach(i -> books.accept("order-" + i));
        process.drain();
        String id = books.accept("late");
        process.drain();
        assertThat(books.operation(id).psp()).contains("second");
    }

    @Test
    void rules_lead_a_payment_by_its_amount() throws Exception {
        var byAmount =
                books.process(Routes.parse("amount>=1299 amount<=1299 currency=EUR merchant=acme -> second; -> first"), first, second);
        String id = books.accept("order-1");
        byAmount.drain();
        assertThat(books.operation(id).psp()).contains("second");
    }
}
