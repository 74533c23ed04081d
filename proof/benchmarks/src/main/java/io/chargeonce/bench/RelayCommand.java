// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.relay.RelayBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "relay", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Outbox rows published per second, beside raw reading and raw producing, and the delay of a row.")
final class RelayCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "How often each runs. Default: ${DEFAULT-VALUE}.")
    int rounds;

    @Override
    public Integer call() throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        common.finish("relay", RelayBench.run(rounds, common.story()));
        return 0;
    }
}
