package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.Operation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine and its Stripe gateway against the simulator, which knows nothing of either. */
class StripeFaultsTest {

    private static final Duration CALL_TIMEOUT = Duration.ofMillis(500);
    private static StripeSimulator stripe;
    private static Books books;
    private static Books.Process process;
    private static int orders;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSettings.inMemory());
        books = new Books();
        process = books.process(new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), CALL_TIMEOUT)));
    }

    @AfterEach
    void heal() {
        stripe.removeRules();
        stripe.acceptConnections();
        stripe.endOutage();
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
    }

    static Stream<Arguments> faults() {
        List<Fault> faults = List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(), new Fault.Truncated(),
                new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)), new Fault.WrongAmount(1));
        return faults.stream().flatMap(fault -> Stream.of(Operation.CREATE, Operation.CONFIRM)
                .map(operation -> Arguments.of(fault.text(), fault, operation)));
    }

    @ParameterizedTest(name = "{0} at {2}")
    @MethodSource("faults")
    void whatever_goes_wrong_once_the_payment_is_captured_once(String name, Fault fault, Operation operation) {
        stripe.inject(FaultRule.once(fault).on(operation));
        String id = books.accept("order-" + ++orders);
        settle(id);
        assertThat(captures(id)).singleElement().satisfies(capture -> {
            assertThat(capture.amount()).isEqualTo(1299);
            assertThat(capture.currency()).isEqualTo("eur");
        });
        assertThat(books.operation(id).pspReference()).contains(captures(id).getFirst().payment());
    }

    @Test
    void a_frozen_500_after_the_capture_is_resolved_by_asking() {
        stripe.inject(FaultRule.once(new Fault.FailAfter()).on(Operation.CONFIRM));
        String id = books.accept("order-" + ++orders);
        settle(id);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void a_confirmation_that_always_fails_unexecuted_cascades_to_the_dead_letter_queue_and_charges_nothing() {
        stripe.inject(FaultRule.once(new Fault.FailBefore()).on(Operation.CONFIRM).always());
        String id = books.accept("order-" + ++orders);
        settle(id);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(id).sequence()).isEqualTo(4);
        assertThat(captures(id)).isEmpty();
    }

    @Test
    void a_refused_connection_is_parked_and_charged_when_the_psp_is_back() {
        stripe.refuseConnections();
        String id = books.accept("order-" + ++orders);
        process.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains("connection_refused");
        stripe.acceptConnections();
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    private static void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return switch (books.state(id)) {
                case SUCCEEDED, DECLINED, DEAD -> true;
                case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> false;
            };
        });
    }

    private static List<Movement> captures(String id) {
        return stripe.movements().stream().filter(movement -> movement.kind() == Movement.Kind.CAPTURE
                && id.equals(movement.metadata().get("payment_id"))).toList();
    }
}
