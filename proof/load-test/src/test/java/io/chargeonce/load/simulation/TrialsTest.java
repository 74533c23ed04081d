// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.sandbox.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrialsTest {

    /** Without poison nothing is sealed. */
    @Test
    void a_bug_that_never_ran_fails_its_trial_as_never_reached() throws IOException {
        var told = new StringWriter();
        try (var postgres = PostgresServer.startTemporary()) {
            var trials = new Trials(new PrintWriter(told), 1, 1, EnumSet.noneOf(Fault.class), 1);
            trials.run(postgres, List.of(Plant.POISON_IN_THE_CLEAR), Optional.empty());
            assertThat(trials.allCaught()).isFalse();
        }
        assertThat(told.toString()).contains("NEVER REACHED: none of [Vault.seal] ran");
    }
}
