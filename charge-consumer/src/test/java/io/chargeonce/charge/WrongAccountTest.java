// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Money moved, the answer was lost, and the resolver asks with the wrong key: it learns nothing, and the right key settles it. */
class WrongAccountTest {

    /** What is known about the attempt when the PSP is asked. */
    enum Known { ITS_REFERENCE, ITS_KEY, NOTHING_BUT_METADATA }

    private static StripeSimulator stripe;
    private static EngineFixture books;
    private static EngineFixture.Process right;
    private static int orders;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory().searchLag(Duration.ZERO));
        books = new EngineFixture();
        right = books.process(gateway("sk_test_1"));
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
    }

    private static Gateway gateway(String apiKey) {
        return new StripeGateway(new StripeSettings(apiKey, stripe.apiBase().toString(), Duration.ofSeconds(20)));
    }

    static Stream<Arguments> queries() {
        return Stream.of("sk_test_stranger", "rk_test_unpermitted", "unknown")
                .flatMap(key -> Stream.of(Known.values()).map(known -> Arguments.of(key, known)));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void the_wrong_key_learns_nothing_about_a_charge_and_the_right_one_settles_it(String key, Known known) throws Exception {
        String id = books.accept("order-" + ++orders);
        settle(id);
        askInVain(key, id, id, known);
        settle(id);
        assertThat(moved(id, Movement.Kind.CAPTURE)).isEqualTo(1);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("queries")
    void the_wrong_key_learns_nothing_about_a_refund_and_the_right_one_settles_it(String key, Known known) throws Exception {
        String id = books.accept("order-" + ++orders);
        settle(id);
        String refund = "payment-" + id + "-refund";
        stripe.inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.REFUND));
        books.refund(id, OptionalLong.empty(), "");
        right.handle(books.takeWork(refund).getFirst());
        askInVain(key, id, refund, known);
        settle(refund);
        assertThat(moved(id, Movement.Kind.REFUND)).isEqualTo(1);
        assertThat(books.operation(refund).sequence()).isEqualTo(1);
    }

    /** As if the process had died during its call, and one with the wrong key had followed. */
    private static void askInVain(String key, String payment, String operation, Known known) throws Exception {
        books.rewrite("""
                UPDATE payment_attempt SET state = 'in_flight', charged_at_once = false, sends = 1, not_found = 0, psp_reference = %3$s,
                       sent_at = now() - interval '2 days', key_valid_until = now() + interval '%4$s' WHERE operation_id = '%2$s';
                UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now(), resolve_tries = 0,
                       settled_at = NULL, psp_reference = NULL WHERE operation_id = '%2$s';
                DELETE FROM outbox WHERE record_key = '%2$s'
                """.formatted(payment, operation, known == Known.ITS_REFERENCE ? "psp_reference" : "NULL",
                known == Known.NOTHING_BUT_METADATA ? "-1 hour" : "1 hour"));
        try (var wrong = books.process(gateway(key))) {
            Waiting.until(() -> {
                wrong.resolver.runOnce();
                return books.state(operation) != OperationState.UNRESOLVED && books.state(operation) != OperationState.PROCESSING
                        || books.operation(operation).resolveTries() >= 4;
            });
        }
        assertThat(books.state(operation)).isEqualTo(OperationState.UNRESOLVED);
    }

    private static long moved(String payment, Movement.Kind kind) {
        return stripe.movements().stream().filter(movement -> movement.kind() == kind
                && payment.equals(movement.metadata().get("payment_id"))).count();
    }

    private static void settle(String operation) {
        Waiting.until(() -> {
            right.resolver.runOnce();
            right.drain();
            return books.state(operation) == OperationState.SUCCEEDED;
        });
    }
}
