// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "stop", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Stops a run between two batches, wherever it runs: at another terminal, or in the console.",
            "It can be resumed at once."},
        exitCodeList = "1:there is no such run, or nothing runs it",
        footer = {"  Stop it, and go on later:",
            "    chargeonce dlq runs stop run_0123456789",
            "    chargeonce dlq merge --resume run_0123456789"})
final class RunsStopCommand implements Callable<Integer> {

    @ParentCommand
    RunsCommand runs;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "The run's id, as runs lists it.")
    String id;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return runs.dlq.with(spec, this::stop);
    }

    private int stop(DeadLetterQueue queue) {
        var merges = new DlqRuns(queue);
        if (!merges.stop(ActsAs.auditContext(spec, queue, Optional.empty(), id))) {
            Screen.tell(spec, "nothing runs '%s' now; chargeonce dlq runs shows how each stands".formatted(id));
            return 1;
        }
        DlqRun run = merges.find(id).orElseThrow();
        if (common.json) {
            JsonLines.print(Screen.of(spec), RunJson.run(run));
        } else {
            Screen.of(spec).say("%s stops between two batches; what it moved stays moved.".formatted(id));
            Screen.of(spec).print("To go on:   chargeonce dlq %s --resume %s", run.kind().command(), id);
            Screen.of(spec).print("To end it:  chargeonce dlq %s --cancel %s", run.kind().command(), id);
        }
        return 0;
    }
}
