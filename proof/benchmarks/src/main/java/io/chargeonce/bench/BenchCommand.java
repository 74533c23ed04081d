// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: which benches there are. */
@Command(name = "bench", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "This pipeline beside its peers and the raw limits, over one broker, one Postgres and one PSP stub of this machine.",
        subcommands = {ListCommand.class, IngestCommand.class, ChargeCommand.class, EndToEndCommand.class, LatencyCommand.class,
            CostCommand.class, PoisonCommand.class, FairnessCommand.class,
            TiersCommand.class, BacklogCommand.class, DlqCommand.class, RelayCommand.class, RecoveryCommand.class,
            DeliveriesCommand.class, ReportCommand.class},
        footer = {"", "Example:  chargeonce bench charge --psp-latency 20ms --against all --rounds 5"})
final class BenchCommand implements Runnable {

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say which bench: 'chargeonce bench list' names them");
    }
}
