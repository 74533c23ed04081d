// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.sandbox.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class TrialsTest {

    /** Without poison nothing is sealed. */
    @Test
    void a_bug_that_never_ran_fails_its_trial_as_never_reached() {
        var told = new StringWriter();
        try (var postgres = PostgresServer.startTemporary()) {
            var trials = new Trials(new PrintWriter(told), 1, 1, EnumSet.noneOf(Fault.class), 1);
            assertThat(trials.run(postgres, Plant.POISON_IN_THE_CLEAR).again())
                    .contains("./chargeonce load simulate --every-plant --only poison-in-the-clear --seed 1 --seeds 1");
        }
        assertThat(told.toString()).contains("NEVER REACHED: none of [Vault.seal] ran");
    }
}
