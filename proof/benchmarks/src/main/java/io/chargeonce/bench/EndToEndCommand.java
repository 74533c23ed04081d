// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.EndToEndBench;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "end-to-end", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Payments per second from an HTTP request to the published outcome, with the PSP behind HTTP too.")
final class EndToEndCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--psp-latency", defaultValue = "20ms", paramLabel = "TIME", converter = Millis.class,
            description = "How long the PSP takes. Default: ${DEFAULT-VALUE}.")
    Duration pspLatency;

    @Option(names = "--against", split = ",", defaultValue = "spring,spring-async", paramLabel = "NAME",
            description = "The contestants to run beside chargeonce: spring, spring-async, or 'none'. Default: ${DEFAULT-VALUE}.")
    List<String> against;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "How often each runs. Default: ${DEFAULT-VALUE}.")
    int rounds;

    /** 0 if our books balanced in every run, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        common.requireKnown(against, List.of("spring", "spring-async"));
        var result = EndToEndBench.run(against, pspLatency, rounds, common.story());
        common.finish("end-to-end", result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
