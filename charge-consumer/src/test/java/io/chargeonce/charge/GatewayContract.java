// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

/**
 * The tests that the engine must pass with any gateway. Extend it, with a simulator of the PSP that uses neither engine nor gateway.
 * The engine is the real one, on a real Postgres. The simulator shows what really happened: its movements of money are the truth. The PSP
 * takes 12.99 EUR, and forgets no key while the tests run.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GatewayContract {

    /** The gateway's, for each exchange: longer than an answer takes on a busy machine. */
    public static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);
    private static final Money MONEY = new Money(1299, "EUR");
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    private final PspRules rules;
    private final PspSimulator psp;
    private final Gateway gateway;
    private final EngineFixture books = new EngineFixture();
    private final EngineFixture.Process process;
    private final EngineFixture.Process strangers;
    private int orders;

    /**
     * @param rules      of the PSP's provider
     * @param psp        a simulator that listens
     * @param gateway    makes a gateway to this simulator with this API key, and with {@link #CALL_TIMEOUT}
     * @param credential the API key that the PSP knows
     */
    protected <P extends PspSimulator> GatewayContract(PspRules rules, P psp, BiFunction<P, String, Gateway> gateway, String credential) {
        this.rules = rules;
        this.psp = psp;
        this.gateway = gateway.apply(psp, credential);
        books.psps = KnownPsps.of(List.of(rules));
        this.process = books.process(this.gateway);
        this.strangers = books.process(gateway.apply(psp, "unknown"));
    }

    /** The PSP's calls of one attempt; the last one moves the money. */
    protected abstract List<Endpoint> callsOfAnAttempt();

    /** The call that asks for the outcome of an attempt. */
    protected abstract Endpoint query();

    /** The call that gives money back, if its answer says at once what became of it. */
    protected Optional<Endpoint> refund() {
        return Optional.empty();
    }

    /** A token whose card pays. */
    protected String card() {
        return "pm_card_visa";
    }

    /** A token whose card is declined for insufficient funds. */
    protected abstract String cardWithoutMoney();

    /** Whether the PSP reports later on an attempt that met this fault on the call that moves the money. */
    protected abstract boolean canBeAskedAbout(Fault fault);

    /** Faults that only this PSP has. */
    protected List<Fault> faultsOfItsOwn() {
        return List.of();
    }

    @AfterEach
    public void heal() {
        psp.removeRules();
        psp.acceptConnections();
        psp.endOutage();
    }

    @AfterAll
    public void close() throws Exception {
        psp.close();
        books.close();
    }

    public Stream<Arguments> faults() {
        List<Fault> faults = new ArrayList<>(List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(),
                new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)), new Fault.WrongAmount(1)));
        faults.addAll(faultsOfItsOwn());
        return faults.stream().flatMap(fault -> callsOfAnAttempt().stream()
                .filter(call -> !isLast(call) || canBeAskedAbout(fault)).map(call -> Arguments.of(fault, call)));
    }

    public Stream<Arguments> faultsForEver() {
        return Stream.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.WrongAmount(1))
                .filter(fault -> !canBeAskedAbout(fault)).map(Arguments::of);
    }

    private boolean isLast(Endpoint call) {
        return call == callsOfAnAttempt().getLast();
    }

    @ParameterizedTest
    @MethodSource("faults")
    public void after_any_single_fault_the_payment_is_captured_once(Fault fault, Endpoint call) {
        psp.inject(FaultRule.once(fault).on(call));
        String id = accept();
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
    public void what_the_psp_never_reports_stays_unresolved_and_is_not_charged_again(Fault fault) {
        psp.inject(FaultRule.once(fault).on(callsOfAnAttempt().getLast()));
        String id = accept();
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
    public void a_refused_status_query_says_nothing_about_what_was_executed(int status) {
        Endpoint paying = callsOfAnAttempt().getLast();
        psp.inject(FaultRule.once(new Fault.AnswerLost()).on(paying));
        psp.inject(FaultRule.once(new Fault.Refused(status)).on(query()).always());
        String id = accept();
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
    public void the_ledger_shows_the_amount_that_was_accepted(long minorUnits, String currency, BigDecimal value) {
        var money = new Money(minorUnits, currency);
        assumeTrue(rules.units().canSay(money), "it does not take " + currency);
        String id = books.accept(order(), card(), money);
        settle(id);
        assertThat(captures(id)).singleElement()
                .satisfies(capture -> assertThat(new BigDecimal(capture.value())).isEqualByComparingTo(value));
    }

    @Test
    public void a_declined_card_is_settled_at_once_and_sent_once() {
        String id = accept(cardWithoutMoney());
        int before = psp.requests().size();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("insufficient_funds");
        assertThat(psp.requests()).hasSize(before + callsOfAnAttempt().size());
        assertThat(captures(id)).isEmpty();
    }

    @Test
    public void a_refused_connection_is_parked_and_charged_when_the_psp_is_back() {
        psp.refuseConnections();
        String id = accept();
        handleNext();
        // A pooled connection that was cut is noticed only when it is used, and then the attempt is unknown, not unsent.
        assertThat(books.state(id)).isIn(OperationState.PARKED, OperationState.UNRESOLVED);
        psp.acceptConnections();
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    public void an_outage_ends_in_one_capture() {
        psp.outage(Duration.ofHours(1));
        String id = accept();
        handleNext();
        assertThat(captures(id)).isEmpty();
        psp.endOutage();
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    public void a_wrong_credential_parks_the_payment_and_costs_no_attempt() {
        String id = accept();
        strangers.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains("credential_refused");
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    public void the_same_key_sent_twice_charges_once_and_each_answer_says_so() {
        Charge charge = render(accept());
        Outcome first = gateway.charge(charge);
        Outcome second = gateway.charge(charge);
        assertThat(first).isInstanceOf(Outcome.Charged.class);
        assertThat(second).isEqualTo(first);
        assertThat(captures(charge.payment().value())).hasSize(1);
    }

    @Test
    public void a_query_never_executes_what_was_never_sent() {
        Charge unsent = render(accept());
        var askedOnly = new Charge(unsent.key(), unsent.payment(), unsent.money(), unsent.request(), Optional.empty(),
                !gateway.statusQueryMayExecute()).during(Lease.of(LONG_ENOUGH));
        Outcome outcome = gateway.findOut(askedOnly);
        assertThat(outcome).isNotInstanceOfAny(Outcome.Charged.class, Outcome.Declined.class);
        assertThat(captures(unsent.payment().value())).isEmpty();
        if (outcome instanceof Outcome.Failed) {
            // It said that the attempt never will be executed, so the PSP refuses it from now on.
            assertThat(gateway.charge(unsent)).isNotInstanceOf(Outcome.Charged.class);
            assertThat(captures(unsent.payment().value())).isEmpty();
        }
    }

    @Test
    public void without_a_lease_nothing_is_sent_that_moves_money() {
        Charge charge = render(accept()).during(Lease.over());
        int before = psp.requests().size();
        assertThat(gateway.charge(charge)).isEqualTo(Lease.notSent());
        assertThat(psp.requests()).hasSize(before);
    }

    @Test
    public void an_amount_that_it_cannot_say_is_refused_before_it_is_sent() {
        Money unsayable = Stream.of(new Money(550, "CVE"), new Money(550, "MGA"), new Money(1234, "KWD"), new Money(1234, "XTS"))
                .filter(money -> !rules.units().canSay(money)).findFirst().orElseThrow();
        String id = books.accept(order(), card(), unsayable);
        int before = psp.requests().size();
        settle(id);
        assertThat(books.operation(id).failureCause()).contains("no_route");
        assertThat(books.operation(id).sequence()).isZero();
        assertThat(psp.requests()).hasSize(before);
    }

    @Test
    public void its_budget_holds_for_a_charge_and_a_query_and_its_key_lives() {
        assertThat(gateway.callBudget()).isGreaterThanOrEqualTo(CALL_TIMEOUT.multipliedBy(callsOfAnAttempt().size()));
        assertThat(gateway.keyLife()).isPositive();
        assertThat(KnownPsps.of(List.of(rules)).of(gateway.psp())).contains(rules);
    }

    @Test
    public void a_refund_whose_answer_is_lost_gives_the_money_back_once() {
        assumeTrue(refund().isPresent(), "its refunds end later, or not here");
        String id = accept();
        settle(id);
        psp.inject(FaultRule.once(new Fault.AnswerLost()).on(refund().orElseThrow()));
        var refund = (Refunds.Answer.Accepted) books.refund(id, OptionalLong.of(300), "");
        settle(refund.refund().id());
        assertThat(books.state(refund.refund().id())).isEqualTo(OperationState.SUCCEEDED);
        String capture = captures(id).getFirst().payment();
        assertThat(psp.movements()).filteredOn(moved -> moved.kind() == Movement.Kind.REFUND && moved.payment().equals(capture))
                .singleElement().satisfies(moved -> assertThat(moved.amount()).isEqualTo(300));
    }

    /** As the engine stores it before the first byte leaves, with a lease. */
    private Charge render(String id) {
        books.takeWork();
        Operation operation = books.operation(id);
        PspKey key = PspKey.derive(operation.accepted().payment(), "charge", "", gateway.psp(), 1);
        return new Charge(key, operation.accepted().payment(), operation.accepted().request().money(), gateway.render(operation, key),
                Optional.empty(), true).during(Lease.of(LONG_ENOUGH));
    }

    private String accept() {
        return accept(card());
    }

    /** A payment of 12.99 EUR with this token. Returns its id. */
    protected final String accept(String card) {
        return books.accept(order(), card, MONEY);
    }

    protected final OperationState state(String id) {
        return books.state(id);
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

    protected final PspSimulator psp() {
        return psp;
    }

    /** As Kafka does: what is not due yet comes again. After the failures of other tests the PSP gets few payments a second. */
    private void handleNext() {
        var record = books.takeWork().getFirst();
        Waiting.until(() -> process.handle(record) instanceof Verdict.Done);
    }

    /** Works until the payment or refund has ended. */
    protected final void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return switch (books.state(id)) {
                case SUCCEEDED, FAILED, DECLINED, CANCELED, DEAD -> true;
                case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> false;
            };
        });
    }

    protected final List<Movement> captures(String id) {
        return psp.movements().stream().filter(movement -> movement.kind() == Movement.Kind.CAPTURE
                && id.equals(movement.metadata().get("payment_id"))).toList();
    }
}
