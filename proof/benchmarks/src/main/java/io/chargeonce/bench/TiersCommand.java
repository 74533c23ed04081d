// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.tiers.TierBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "tiers", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "How late records leave a retry tier at 100, 1,000 and 5,000 due per second, and what 100,000 waiting cost.")
final class TiersCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    /** 0 if nothing came early, else 1. */
    @Override
    public Integer call() throws Exception {
        var result = TierBench.run(common.story());
        common.finish("tiers", result);
        return result.get("early").equals(0) ? 0 : 1;
    }
}
