// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.ingest.IngestBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "ingest", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Payments durably accepted per second over HTTP, beside a server with a commit a request and the bare tables.")
final class IngestCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--connections", defaultValue = "64", paramLabel = "N", description = "HTTP connections. Default: ${DEFAULT-VALUE}.")
    int connections;

    @Option(names = "--repeated", defaultValue = "0", paramLabel = "PERCENT",
            description = "Requests that repeat an earlier key. Default: ${DEFAULT-VALUE}.")
    int repeated;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "How often each runs. Default: ${DEFAULT-VALUE}.")
    int rounds;

    /** 0 if the books balanced in every run, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--connections", connections, 1, 10_000);
        common.require("--repeated", repeated, 0, 100);
        common.require("--rounds", rounds, 1, 1_000);
        var result = IngestBench.run(connections, repeated, rounds, common.story());
        common.finish("ingest-" + connections + "-" + repeated, result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
