// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.ChargeBench;
import io.chargeonce.bench.charge.BacklogBench;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "backlog", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A million waiting payments drained by a process with a heap of 256 MiB; peers drain a tenth of it.")
final class BacklogCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--payments", defaultValue = "1000000", paramLabel = "N", description = "How many wait. Default: ${DEFAULT-VALUE}.")
    int payments;

    @Option(names = "--against", split = ",", defaultValue = "spring-async,parallel-consumer-256", paramLabel = "NAME",
            description = "The contestants to run beside chargeonce. Default: ${DEFAULT-VALUE}.")
    List<String> against;

    /** 0 if everything was drained and the rows are right, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--payments", payments, 1_000, 100_000_000);
        common.requireKnown(against, ChargeBench.contestants().keySet());
        var result = BacklogBench.run(payments, against, common.story());
        common.finish("backlog", result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
