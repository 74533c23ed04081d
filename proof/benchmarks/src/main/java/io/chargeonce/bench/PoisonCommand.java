// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.PoisonBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "poison", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "The healthy payments' delay while one record in ten fails, against the delay while none does.")
final class PoisonCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--rate", defaultValue = "2000", paramLabel = "N", description = "Payments sent per second. Default: ${DEFAULT-VALUE}.")
    double rate;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "How often each runs. Default: ${DEFAULT-VALUE}.")
    int rounds;

    /** 0 if the books balanced in every run, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--rate", rate, 1, 100_000);
        common.require("--rounds", rounds, 1, 1_000);
        var result = PoisonBench.run(rate, rounds, common.story());
        common.finish("poison", result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
