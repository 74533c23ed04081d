package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.DyingGateway.CrashPoint;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.Operation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every point at which a process may die × everything that may go wrong at the PSP × every way in which Kafka may deliver:
 * each time the payment succeeds, and the PSP's own ledger shows one capture.
 */
class EveryMishapTest {

    enum Delivery { ONCE, AGAIN_LATER, TWICE_AT_ONCE }

    private static final Duration CALL_TIMEOUT = Duration.ofMillis(400);

    private static final List<Fault> FAULTS = List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(),
            new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)),
            new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)), new Fault.WrongAmount(1));
    /** What Stripe's simulator does not do. */
    private static final Set<String> OF_OTHERS = Set.of("TransientBefore", "TransientAfter");

    private static final Set<List<Object>> SEEN = new HashSet<>();
    private static StripeSimulator stripe;
    private static StripeGateway gateway;
    private static Books books;
    private static Books.Process successor;
    private static int orders;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSettings.inMemory());
        gateway = new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), CALL_TIMEOUT));
        books = new Books();
        successor = books.process(gateway);
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
        assertThat(SEEN).hasSize(CrashPoint.values().length * FAULTS.size() * Delivery.values().length);
        System.out.printf("%d mishaps: %d crash points x %d PSP faults x %d deliveries, one capture each%n", SEEN.size(),
                CrashPoint.values().length, FAULTS.size(), Delivery.values().length);
    }

    static Stream<Arguments> mishaps() {
        return Arrays.stream(CrashPoint.values()).flatMap(crash -> FAULTS.stream().flatMap(fault ->
                Arrays.stream(Delivery.values()).map(delivery -> Arguments.of(crash, fault, delivery))));
    }

    @Test
    void no_fault_of_the_simulator_is_left_out() {
        assertThat(leaves(Fault.class).map(Class::getSimpleName).filter(name -> !OF_OTHERS.contains(name)))
                .containsExactlyInAnyOrderElementsOf(FAULTS.stream().map(fault -> fault.getClass().getSimpleName()).toList());
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed() ? Arrays.stream(type.getPermittedSubclasses()).flatMap(EveryMishapTest::leaves).distinct() : Stream.of(type);
    }

    @ParameterizedTest
    @MethodSource("mishaps")
    void one_capture_whatever_happens(CrashPoint crash, Fault fault, Delivery delivery) {
        SEEN.add(List.of(crash, fault, delivery));
        String id = books.accept("order-" + ++orders);
        stripe.inject(FaultRule.once(fault).on(Operation.CONFIRM).forMetadata("payment_id", id));
        var record = books.takeWork().getFirst();
        deliver(books.process(new DyingGateway(gateway, crash)), record, delivery == Delivery.TWICE_AT_ONCE ? 2 : 1);
        if (crash != CrashPoint.NOWHERE || delivery == Delivery.AGAIN_LATER) {
            // Its offset was never committed.
            deliver(successor, record, 1);
        }
        Waiting.until(() -> {
            successor.drain();
            successor.resolver.runOnce();
            if (books.state(id) == OperationState.DEAD) {
                // On a machine so slow that every attempt timed out; an operator merges it.
                books.merge(id);
            }
            return books.state(id) == OperationState.SUCCEEDED;
        });
        deliver(successor, record, delivery == Delivery.ONCE ? 0 : 1);

        assertThat(stripe.movements()).filteredOn(movement -> id.equals(movement.metadata().get("payment_id")))
                .singleElement().satisfies(movement -> {
                    assertThat(movement.kind()).isEqualTo(Movement.Kind.CAPTURE);
                    assertThat(movement.amount()).isEqualTo(1299);
                });
        assertThat(books.count("FROM outbox WHERE topic = '" + books.topics.outcomes() + "' AND record_key = '" + id + "'")).isEqualTo(1);
        assertThat(books.count("FROM payment_attempt WHERE NOT failed_definite AND payment_id = '" + id + "'")).isEqualTo(1);
    }

    private static void deliver(Books.Process process, ConsumerRecord<byte[], byte[]> record, int times) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < times; i++) {
                threads.submit(() -> process.handle(record));
            }
        }
    }
}
