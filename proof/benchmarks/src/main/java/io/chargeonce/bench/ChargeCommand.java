// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.ChargeBench;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(name = "charge", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Payments charged per second, from the topic to the published outcome, with a PSP stub in this process.")
final class ChargeCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--psp-latency", defaultValue = "20ms", paramLabel = "TIME", converter = Millis.class,
            description = "How long a call to the PSP takes, as in 0, 20ms, 100ms. Default: ${DEFAULT-VALUE}.")
    Duration pspLatency;

    @Option(names = "--against", split = ",", defaultValue = "composite", paramLabel = "NAME",
            description = "The contestants to run beside chargeonce, with commas between; 'all' or 'none'. Default: ${DEFAULT-VALUE}.")
    List<String> against;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "How often each runs. Default: ${DEFAULT-VALUE}.")
    int rounds;

    @Option(names = "--run-time", defaultValue = "6s", paramLabel = "TIME", converter = Millis.class,
            description = "How long one run lasts, about. Default: ${DEFAULT-VALUE}.")
    Duration runTime;

    /** 0 if our books balanced in every run, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        if (!against.contains("all")) {
            common.requireKnown(against, ChargeBench.contestants().keySet());
        }
        if (runTime.isZero()) {
            throw new ParameterException(common.spec.commandLine(), "--run-time is 0, but must be longer");
        }
        var report = ChargeBench.run(against, pspLatency, rounds, runTime, common.story());
        common.finish("charge-" + pspLatency.toMillis() + "ms", report.result());
        return report.balanced() ? 0 : 1;
    }
}
