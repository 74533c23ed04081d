// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.attack.AttackCommand;
import io.chargeonce.load.scale.ScaleCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./chargeonce load}: load, faults and checks, against a running pipeline or on this machine. */
@Command(name = "load", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Load, poison, faults on purpose, and the checker that tells whether a payment was lost or charged twice.",
        subcommands = {RunCommand.class, PoisonCommand.class, ReplayCommand.class, CheckCommand.class, ChaosCommand.class,
            SimulateCommand.class,
            PlantsCommand.class, ProofCommand.class, KeepCommand.class, ScaleCommand.class, AttackCommand.class},
        footer = {"", "Begin with:  chargeonce load chaos --campaigns 3"})
public final class LoadCommand implements Runnable {

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do");
    }
}
