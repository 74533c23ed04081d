// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.RecoveryBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "recovery", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "How long after a restart of Postgres or Kafka, killed backends or a killed consumer all is as fast as before.")
final class RecoveryCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    /** 0 if every payment of every cell was settled, else 1. */
    @Override
    public Integer call() throws Exception {
        var result = RecoveryBench.run(common.story());
        common.finish("recovery", result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
