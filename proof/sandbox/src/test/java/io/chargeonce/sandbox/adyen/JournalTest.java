// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.adyen.model.checkout.PaymentResponse;
import io.chargeonce.sandbox.LeftBehind;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir
    Path directory;

    @Test
    void payments_keys_ledger_and_open_modifications_survive_a_restart() throws Exception {
        List<Movement> movements;
        List<LoggedRequest> requests;
        PaymentResponse paid;
        try (AdyenSimulator simulator = start(Duration.ofHours(1))) {
            Shopper shopper = new Shopper(simulator);
            paid = shopper.pay(1299, "p");
            shopper.refund(paid, 99, "r");
            movements = simulator.movements();
            requests = simulator.requests();
            assertThat(simulator.modifications()).singleElement().satisfies(open -> assertThat(open.result()).isEmpty());
        }
        try (AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory().keptIn(directory)
                .clock(() -> Instant.now().plus(Duration.ofHours(2))))) {
            assertThat(simulator.requests()).isEqualTo(requests);
            assertThat(new Shopper(simulator).pay(1299, "p")).isEqualTo(paid);
            await().until(() -> simulator.movements().size() == 2);
            assertThat(simulator.movements().getFirst()).isEqualTo(movements.getFirst());
            assertThat(simulator.movements().getLast().amount()).isEqualTo(99);
        }
    }

    @Test
    void each_answer_given_before_a_kill_is_still_there() throws Exception {
        int port = freePort();
        Process process = LeftBehind.start("adyen", directory, port);
        PaymentResponse paid = new Shopper(URI.create("http://127.0.0.1:" + port + "/v71"), AdyenSimulatorSettings.API_KEY).pay(1299, "p");
        LeftBehind.kill(process);
        try (AdyenSimulator simulator = start(Duration.ofSeconds(1))) {
            assertThat(simulator.movements()).extracting(Movement::payment).containsExactly(paid.getPspReference());
            assertThat(new Shopper(simulator).pay(1299, "p")).isEqualTo(paid);
            assertThat(simulator.movements()).hasSize(1);
        }
    }

    @Test
    void a_journal_belongs_to_one_simulator_at_a_time() {
        try (AdyenSimulator first = start(Duration.ofSeconds(1))) {
            assertThat(first.movements()).isEmpty();
            assertThatThrownBy(() -> start(Duration.ofSeconds(1))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in use");
        }
    }

    private static int freePort() {
        try (AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory())) {
            return simulator.port();
        }
    }

    private AdyenSimulator start(Duration lag) {
        return AdyenSimulator.start(AdyenSimulatorSettings.inMemory().keptIn(directory).modificationLag(lag));
    }
}
