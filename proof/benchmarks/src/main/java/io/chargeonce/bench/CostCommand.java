// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.CostBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "cost", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "What one payment costs Postgres, statement by statement: microseconds of processor time, and bytes of WAL.")
final class CostCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--payments", defaultValue = "20000", paramLabel = "N",
            description = "How many are measured. Default: ${DEFAULT-VALUE}.")
    int payments;

    @Override
    public Integer call() throws Exception {
        common.require("--payments", payments, 100, 10_000_000);
        common.finish("cost", CostBench.run(payments, common.story()));
        return 0;
    }
}
