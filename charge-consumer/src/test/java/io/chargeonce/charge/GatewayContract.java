// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests that the engine must pass with any gateway, each against a simulator of its PSP that depends on neither. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GatewayContract {

    static final Duration CALL_TIMEOUT = Duration.ofMillis(500);

    private final PspSimulator psp;
    private final EngineFixture books = new EngineFixture();
    private final EngineFixture.Process process;
    private final EngineFixture.Process strangers;
    private int orders;

    /**
     * @param gateway    a gateway to this simulator with this API key
     * @param credential the API key that the PSP knows
     */
    <P extends PspSimulator> GatewayContract(P psp, BiFunction<P, String, Gateway> gateway, String credential) {
        this.psp = psp;
        this.process = books.process(gateway.apply(psp, credential));
        this.strangers = books.process(gateway.apply(psp, "unknown"));
    }

    /** The PSP's calls of one attempt; the last one moves the money. */
    abstract List<Endpoint> callsOfAnAttempt();

    /** The call that asks for the outcome of an attempt. */
    abstract Endpoint query();

    /** A token whose card is declined for insufficient funds. */
    abstract String cardWithoutMoney();

    /** Whether the PSP reports later on an attempt that met this fault on the call that moves the money. */
    abstract boolean canBeAskedAbout(Fault fault);

    /** Faults that only this PSP has. */
    List<Fault> faultsOfItsOwn() {
        return List.of();
    }

    @AfterEach
    void heal() {
        psp.removeRules();
        psp.acceptConnections();
        psp.endOutage();
    }

    @AfterAll
    void close() throws Exception {
        psp.close();
        books.close();
    }

    Stream<Arguments> faults() {
        List<Fault> faults = new ArrayList<>(List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(),
                new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)), new Fault.WrongAmount(1)));
        faults.addAll(faultsOfItsOwn());
        return faults.stream().flatMap(fault -> callsOfAnAttempt().stream()
                .filter(call -> !isLast(call) || canBeAskedAbout(fault)).map(call -> Arguments.of(fault, call)));
    }

    Stream<Arguments> faultsForEver() {
        return Stream.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.WrongAmount(1))
                .filter(fault -> !canBeAskedAbout(fault)).map(Arguments::of);
    }

    private boolean isLast(Endpoint call) {
        return call == callsOfAnAttempt().getLast();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void after_any_single_fault_the_payment_is_captured_once(Fault fault, Endpoint call) {
        psp.inject(FaultRule.once(fault).on(call));
        String id = books.accept(order());
        settle(id);
        assertThat(captures(id)).singleElement().satisfies(capture -> {
            assertThat(capture.amount()).isEqualTo(1299);
            assertThat(capture.currency()).isEqualTo("eur");
        });
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).pspReference()).contains(captures(id).getFirst().payment());
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("faultsForEver")
    void what_the_psp_never_reports_stays_unresolved_and_is_not_charged_again(Fault fault) {
        psp.inject(FaultRule.once(fault).on(callsOfAnAttempt().getLast()));
        String id = books.accept(order());
        process.drain();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.operation(id).resolveTries() >= 3;
        });
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSizeLessThanOrEqualTo(1);
    }

    /** The answers to another account's key, a missing permission or an API version that is no longer accepted. */
    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 409, 422, 429})
    void a_refused_status_query_says_nothing_about_what_was_executed(int status) {
        Endpoint paying = callsOfAnAttempt().getLast();
        psp.inject(FaultRule.once(new Fault.AnswerLost()).on(paying));
        psp.inject(FaultRule.once(new Fault.Refused(status)).on(query()).always());
        String id = books.accept(order());
        process.drain();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.operation(id).resolveTries() >= 3;
        });
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        psp.removeRules();
        settle(id);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSize(1);
    }

    /** According to the vendors' own tables: 500 króna must not be taken as 5, nor 5 ariary as 500. */
    @ParameterizedTest
    @CsvSource({"1299,EUR,12.99", "500,JPY,500", "500,ISK,500", "500,UGX,500", "5000,CLP,5000", "1230,KWD,1.230"})
    void the_ledger_shows_the_amount_that_was_accepted(long minorUnits, String currency, BigDecimal value) {
        String id = books.accept(order(), "pm_card_visa", new Money(minorUnits, currency));
        settle(id);
        assertThat(captures(id)).singleElement()
                .satisfies(capture -> assertThat(new BigDecimal(capture.value())).isEqualByComparingTo(value));
    }

    @Test
    void a_declined_card_is_settled_at_once_and_sent_once() {
        String id = books.accept(order(), cardWithoutMoney());
        int before = psp.requests().size();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("insufficient_funds");
        assertThat(psp.requests()).hasSize(before + callsOfAnAttempt().size());
        assertThat(captures(id)).isEmpty();
    }

    @Test
    void a_refused_connection_is_parked_and_charged_when_the_psp_is_back() {
        psp.refuseConnections();
        String id = books.accept(order());
        handleNext();
        // A pooled connection that was cut is noticed only when it is used, and then the attempt is unknown, not unsent.
        assertThat(books.state(id)).isIn(OperationState.PARKED, OperationState.UNRESOLVED);
        psp.acceptConnections();
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void an_outage_ends_in_one_capture() {
        psp.outage(Duration.ofHours(1));
        String id = books.accept(order());
        handleNext();
        assertThat(captures(id)).isEmpty();
        psp.endOutage();
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void a_wrong_credential_parks_the_payment_and_costs_no_attempt() {
        String id = books.accept(order());
        strangers.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains("credential_refused");
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    String order() {
        return "order-" + ++orders;
    }

    EngineFixture books() {
        return books;
    }

    EngineFixture.Process process() {
        return process;
    }

    PspSimulator psp() {
        return psp;
    }

    /** As Kafka does: what is not due yet comes again. After the failures of other tests the PSP gets few payments a second. */
    private void handleNext() {
        var record = books.takeWork().getFirst();
        Waiting.until(() -> process.handle(record) instanceof Verdict.Done);
    }

    void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return switch (books.state(id)) {
                case SUCCEEDED, FAILED, DECLINED, CANCELED, DEAD -> true;
                case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> false;
            };
        });
    }

    List<Movement> captures(String id) {
        return psp.movements().stream().filter(movement -> movement.kind() == Movement.Kind.CAPTURE
                && id.equals(movement.metadata().get("payment_id"))).toList();
    }
}
