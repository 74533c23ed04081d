// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import java.nio.file.Files;
import picocli.CommandLine.ParameterException;
import io.chargeonce.bench.dlq.DlqBench;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "dlq", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A million dead letters listed, summed up, purged and merged by processes with a heap of 128 MiB that are killed "
                + "at half-way.")
final class DlqCommand implements Callable<Integer> {

    @Mixin
    CommonOptions common;

    @Option(names = "--letters", defaultValue = "1000000", paramLabel = "N", description = "How many are dead. Default: ${DEFAULT-VALUE}.")
    int letters;

    @Option(names = "--launcher", defaultValue = "./chargeonce", paramLabel = "FILE",
            description = "The program that a person calls. Default: ${DEFAULT-VALUE}.")
    Path launcher;

    /** 0 if the books are right at the end, else 1. */
    @Override
    public Integer call() throws Exception {
        common.require("--letters", letters, 100, 100_000_000);
        if (!Files.isExecutable(launcher)) {
            throw new ParameterException(common.spec.commandLine(),
                    "--launcher: there is no program %s: name the file chargeonce at the project's root"
                            .formatted(launcher));
        }
        var result = DlqBench.run(letters, launcher, common.story());
        common.finish("dlq", result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
