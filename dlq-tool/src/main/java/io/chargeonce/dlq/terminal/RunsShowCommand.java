// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.RunPage;
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

@Command(name = "show", usageHelpAutoWidth = true, sortOptions = false,
        description = "Shows one run: what it was meant to move, what it did, and how its payments ended.",
        exitCodeList = "1:there is no such run",
        footer = {"  What became of it?",
            "    chargeonce dlq runs show run_0123456789"})
final class RunsShowCommand implements Callable<Integer> {

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
        return runs.dlq.with(spec, this::show);
    }

    private int show(DeadLetterQueue queue) {
        Optional<DlqRuns.Report> report = new DlqRuns(queue).report(id);
        if (report.isEmpty()) {
            Screen.tell(spec, "there is no run '%s'; chargeonce dlq runs lists those that there are".formatted(id));
            return 1;
        }
        if (common.json) {
            JsonLines.print(Screen.of(spec), RunJson.report(report.get()));
        } else {
            RunPage.print(report.get(), Screen.of(spec));
        }
        return 0;
    }
}
