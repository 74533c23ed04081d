// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.run.RunKind;
import picocli.CommandLine.Command;

@Command(name = "restore", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Brings back what was purged in the last 30 days. Shows what it would do, and does it with --yes.",
            "Nothing is charged. What comes back is dead as before, and can be merged.",
            "Ctrl-C stops it between two batches. A run that was stopped or killed can be resumed, and moves nothing twice."},
        exitCodeList = {"1:an id is not there or was refused, the set is not the expected one, or the run has not finished",
            "130:stopped by Ctrl-C between two batches; the output says how to go on"},
        footer = {"  What was purged?",
            "    chargeonce dlq list --purged",
            "  That purge was a mistake:",
            "    chargeonce dlq restore --run run_0123456789 --reason \"wrong filter\" --yes"})
final class RestoreCommand extends ChangeCommand {

    @Override
    RunKind kind() {
        return RunKind.RESTORE;
    }
}
