// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.LatencyBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "latency", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "How long one payment at a time takes from its request to its outcome's answer, stage by stage.")
final class LatencyCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--payments", defaultValue = "1000", paramLabel = "N",
            description = "How many are measured. Default: ${DEFAULT-VALUE}.")
    int payments;

    @Override
    public Integer call() throws Exception {
        common.require("--payments", payments, 10, 10_000_000);
        common.finish("latency", LatencyBench.run(payments, common.story()));
        return 0;
    }
}
