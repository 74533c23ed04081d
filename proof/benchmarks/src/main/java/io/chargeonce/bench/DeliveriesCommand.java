// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.deliveries.DeliveriesBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "deliveries", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Delays of webhooks to healthy receivers while one merchant's receiver in ten never answers, against the delays "
                + "while those get nothing.")
final class DeliveriesCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--rate", defaultValue = "2000", paramLabel = "N",
            description = "Deliveries per second to healthy receivers. Default: ${DEFAULT-VALUE}.")
    int rate;

    @Option(names = "--seconds", defaultValue = "10", paramLabel = "N",
            description = "How long each is measured. Default: ${DEFAULT-VALUE}.")
    int seconds;

    @Option(names = "--rounds", defaultValue = "3", paramLabel = "N",
            description = "How often each is played; the figures are medians. Default: ${DEFAULT-VALUE}.")
    int rounds;

    /** 0 if every webhook came to its healthy receiver, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--rate", rate, 1, 100_000);
        common.require("--seconds", seconds, 1, 600);
        common.require("--rounds", rounds, 1, 100);
        var result = DeliveriesBench.run(rate, seconds, rounds, common.story());
        common.finish(rate == 2000 ? "deliveries" : "deliveries-" + rate, result);
        return result.get("undelivered").equals(0L) ? 0 : 1;
    }
}
