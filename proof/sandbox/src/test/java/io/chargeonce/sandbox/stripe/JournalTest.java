// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.stripe.exception.CardException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.param.RefundCreateParams;
import io.chargeonce.sandbox.LeftBehind;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir
    Path directory;

    @Test
    void objects_keys_and_ledger_survive_a_restart() throws StripeException {
        List<Movement> movements;
        List<LoggedRequest> requests;
        String firstAnswer;
        PaymentIntent paid;
        PaymentIntent declined;
        try (StripeSimulator simulator = start()) {
            Customer customer = new Customer(simulator);
            paid = customer.pay(1299, "p");
            firstAnswer = paid.getLastResponse().body();
            customer.stripe.v1().refunds().create(RefundCreateParams.builder().setPaymentIntent(paid.getId()).setAmount(99L).build());
            declined = customer.create(100, "pm_card_visa_chargeDeclinedLostCard", "k1");
            decline(customer, declined);
            movements = simulator.movements();
            requests = simulator.requests();
        }
        try (StripeSimulator simulator = start()) {
            Customer customer = new Customer(simulator);
            assertThat(simulator.movements()).isEqualTo(movements).hasSize(2);
            assertThat(simulator.requests()).isEqualTo(requests);
            assertThat(customer.confirm(paid.getId(), "p-confirm").getLastResponse().body()).isEqualTo(firstAnswer);
            assertThat(customer.retrieve(declined.getId()).getLastPaymentError().getDeclineCode()).isEqualTo("lost_card");
            assertThat(decline(customer, declined).getDeclineCode()).isEqualTo("lost_card");
            assertThat(customer.stripe.v1().charges().retrieve(paid.getLatestCharge()).getAmountRefunded()).isEqualTo(99);
            assertThat(simulator.movements()).hasSize(2);
        }
    }

    @Test
    void each_answer_given_before_a_kill_is_still_there() throws Exception {
        int port = freePort();
        Process process = LeftBehind.start("stripe", directory, port);
        Customer customer = new Customer(URI.create("http://127.0.0.1:" + port));
        PaymentIntent paid = customer.pay(1299, "p");
        LeftBehind.kill(process);
        try (StripeSimulator simulator = start()) {
            assertThat(simulator.movements()).extracting(Movement::payment).containsExactly(paid.getId());
            assertThat(new Customer(simulator).confirm(paid.getId(), "p-confirm").getLastResponse().body())
                    .isEqualTo(paid.getLastResponse().body());
        }
    }

    private static int freePort() {
        try (StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory())) {
            return simulator.port();
        }
    }

    @Test
    void a_line_cut_off_by_a_kill_is_dropped_and_overwritten() throws StripeException, IOException {
        PaymentIntent paid;
        try (StripeSimulator simulator = start()) {
            paid = new Customer(simulator).pay(100, "p");
        }
        Files.writeString(directory.resolve("stripe.jsonl"), "{\"request\":{\"at\":\"2026-", StandardOpenOption.APPEND);
        try (StripeSimulator simulator = start()) {
            assertThat(new Customer(simulator).pay(200, "q").getStatus()).isEqualTo("succeeded");
        }
        try (StripeSimulator simulator = start()) {
            assertThat(simulator.movements()).extracting(Movement::amount).containsExactly(100L, 200L);
            assertThat(new Customer(simulator).retrieve(paid.getId()).getStatus()).isEqualTo("succeeded");
        }
    }

    @Test
    void a_journal_belongs_to_one_simulator_at_a_time() {
        try (StripeSimulator first = start()) {
            assertThat(first.movements()).isEmpty();
            assertThatThrownBy(this::start).isInstanceOf(IllegalStateException.class).hasMessageContaining("in use");
        }
    }

    private StripeSimulator start() {
        return StripeSimulator.start(StripeSimulatorSettings.inMemory().keptIn(directory));
    }

    private static CardException decline(Customer customer, PaymentIntent intent) {
        return catchThrowableOfType(CardException.class, () -> customer.confirm(intent.getId(), "k2"));
    }
}
