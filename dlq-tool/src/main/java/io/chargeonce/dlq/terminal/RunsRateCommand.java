// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.RunJson;
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

@Command(name = "rate", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Sets how many a second a run moves, also while it runs: its leader follows within seconds.",
            "The rate stays: it is not doubled any more."},
        exitCodeList = "1:there is no such run, or it has ended",
        footer = {"  The PSP is struggling; five a second will do:",
            "    chargeonce dlq runs rate run_0123456789 5"})
final class RunsRateCommand implements Callable<Integer> {

    @ParentCommand
    RunsCommand runs;

    @Spec
    CommandSpec spec;

    @Parameters(index = "0", paramLabel = "RUN", description = "The run's id, as runs lists it.")
    String id;

    @Parameters(index = "1", paramLabel = "N", description = "So many a second.")
    String rate;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        Optional<Integer> perSecond = problems.number("N", Optional.of(rate));
        return problems.any() ? problems.print(spec) : runs.dlq.with(spec, queue -> set(queue, perSecond.orElseThrow()));
    }

    private int set(DeadLetterQueue queue, int perSecond) {
        var merges = new DlqRuns(queue);
        if (!merges.setRate(ActsAs.auditContext(spec, queue, Optional.empty(), id), perSecond)) {
            Screen.tell(spec, "there is no run '%s', or it has ended; chargeonce dlq runs lists those that there are".formatted(id));
            return 1;
        }
        if (common.json) {
            merges.find(id).ifPresent(run -> JsonLines.print(Screen.of(spec), RunJson.run(run)));
        } else {
            Screen.of(spec).say("%s goes at %,d a second from now on.".formatted(id, perSecond));
        }
        return 0;
    }
}
