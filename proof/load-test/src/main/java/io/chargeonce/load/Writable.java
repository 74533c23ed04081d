// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.record.Runs;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks before minutes of work that the result can be written. */
final class Writable {

    private Writable() {}

    /** @throws ParameterException if results and pages are not here */
    static void requireCheckout(CommandSpec command) {
        if (!Runs.isCheckout(Path.of(""))) {
            throw new ParameterException(command.commandLine(),
                    "there is no folder proof/results and docs here that can be written: run this in a checkout of Chargeonce");
        }
    }

    /** @throws ParameterException if no file can be written there */
    static void require(CommandSpec command, String option, Path file) {
        if (!Files.isWritable(Files.exists(file) ? file : file.toAbsolutePath().getParent())) {
            throw new ParameterException(command.commandLine(), "%s: %s can't be written: name a file in a folder that exists"
                    .formatted(option, file));
        }
    }
}
