package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GatewaysTest {

    private static final Outcome ERROR = new Outcome.Unknown(UnknownCause.PSP_ERROR, "500", Optional.empty());
    private static final Outcome CHARGED = new Outcome.Charged("ref");

    /** Nobody is called: a test says itself what an answer is. */
    private static final class Named implements Gateway {
        @Override
        public String psp() {
            return "one";
        }

        @Override
        public byte[] render(Operation operation, PspKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Duration keyLife() {
            return Duration.ofHours(1);
        }

        @Override
        public Duration callBudget() {
            return Duration.ofSeconds(1);
        }

        @Override
        public Outcome charge(Charge charge) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Outcome findOut(Charge charge) {
            throw new UnsupportedOperationException();
        }
    }

    private int payments;
    private Instant now = Instant.parse("2026-03-01T00:00:00Z");
    private final Gateway gateway = new Named();
    private final Gateways gateways = new Gateways(List.of(gateway), Duration.ofHours(1), () -> now, new SimpleMeterRegistry());

    private boolean isWell() {
        return gateways.choose(List.of("one")) instanceof Gateways.Choice.At;
    }

    private void answers(int times, Outcome outcome) {
        for (int i = 0; i < times; i++) {
            gateways.watched(gateway, another(), false, () -> outcome);
        }
    }

    private PaymentId another() {
        return PaymentId.derive("acme", new IdempotencyKey("order-" + payments++));
    }

    /** The first errors of a burst come while these calls are still under way. */
    private void beside(int underWay, Runnable meanwhile) {
        if (underWay == 0) {
            meanwhile.run();
        } else {
            gateways.watched(gateway, another(), false, () -> {
                beside(underWay - 1, meanwhile);
                return CHARGED;
            });
        }
    }

    @Test
    void a_psp_that_only_fails_gets_no_payments() {
        answers(2, ERROR);
        assertThat(isWell()).isTrue();
        answers(1, ERROR);
        assertThat(isWell()).isFalse();
    }

    @Test
    void half_of_the_latest_calls_are_too_many_even_if_hours_lie_between_them() {
        for (int i = 0; i < 20; i++) {
            answers(1, i % 2 == 0 ? ERROR : CHARGED);
            now = now.plus(Duration.ofHours(1));
        }
        answers(1, ERROR);
        assertThat(isWell()).isFalse();
    }

    @Test
    void quick_errors_of_a_few_in_a_burst_are_not_an_outage() {
        beside(100, () -> answers(40, ERROR));
        assertThat(isWell()).isTrue();
    }

    @Test
    void calls_that_hang_do_not_hide_an_outage() {
        beside(100, () -> {
            now = now.plus(Duration.ofSeconds(6));
            answers(8, ERROR);
        });
        assertThat(isWell()).isFalse();
    }

    @Test
    void hundreds_of_successes_a_second_outweigh_a_streak_of_errors() {
        answers(300, CHARGED);
        answers(30, ERROR);
        assertThat(isWell()).isTrue();
    }

    @Test
    void what_was_long_ago_is_forgotten() {
        answers(300, CHARGED);
        now = now.plus(Duration.ofMinutes(1));
        answers(20, ERROR);
        assertThat(isWell()).isFalse();
    }
}
