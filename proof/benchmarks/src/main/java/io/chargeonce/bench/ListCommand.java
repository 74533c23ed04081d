// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.ChargeBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(name = "list", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Names the benches, and the contestants that they can be run against.")
final class ListCommand implements Runnable {

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        var out = spec.commandLine().getOut();
        spec.parent().subcommands()
                .forEach((name, command) -> out.printf("%-12s %s%n", name, command.getCommandSpec().usageMessage().description()[0]));
        out.println();
        out.println("bench charge --against:");
        ChargeBench.contestants().forEach((name, about) -> out.printf("  %-26s %s%n", name, about));
        out.flush();
    }
}
