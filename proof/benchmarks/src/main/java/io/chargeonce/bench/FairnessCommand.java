// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.FairnessBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "fairness", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Nine merchants' delays while a tenth floods, sends poison or has a slow PSP, against the delays while it does not.")
final class FairnessCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--share", defaultValue = "10", paramLabel = "N",
            description = "Payments per second of each merchant. Default: ${DEFAULT-VALUE}.")
    int share;

    @Option(names = "--times", defaultValue = "10", paramLabel = "N",
            description = "How many times its share the tenth merchant sends. Default: ${DEFAULT-VALUE}.")
    int times;

    @Option(names = "--seconds", defaultValue = "8", paramLabel = "N",
            description = "How long each is measured. Default: ${DEFAULT-VALUE}.")
    int seconds;

    @Option(names = "--rounds", defaultValue = "3", paramLabel = "N",
            description = "How often each is played; the figures are medians. Default: ${DEFAULT-VALUE}.")
    int rounds;

    /** 0 if every payment of the nine was accepted and settled, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--share", share, 1, 10_000);
        common.require("--times", times, 1, 1_000);
        common.require("--seconds", seconds, 1, 3_600);
        common.require("--rounds", rounds, 1, 100);
        var result = FairnessBench.run(share, times, seconds, rounds, common.story());
        common.finish("fairness-" + share + "-" + times, result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
