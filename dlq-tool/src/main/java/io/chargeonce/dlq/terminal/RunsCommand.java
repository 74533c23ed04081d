package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.RunJson;
import io.chargeonce.dlq.terminal.page.RunPage;
import io.chargeonce.dlq.terminal.screen.Column;
import io.chargeonce.dlq.terminal.screen.Json;
import io.chargeonce.dlq.terminal.screen.Screen;
import io.chargeonce.dlq.terminal.screen.Table;
import io.chargeonce.dlq.terminal.screen.Words;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "runs", usageHelpAutoWidth = true, sortOptions = false, subcommands = RunsShowCommand.class,
        description = "Lists merge runs, the newest first; those that were stopped can be resumed.",
        footer = {"  Which can be resumed?",
                  "    chargeonce dlq runs",
                  "  What became of one?",
                  "    chargeonce dlq runs show run_0123456789"})
final class RunsCommand implements Callable<Integer> {

    private static final int SHOWN = 50;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::list);
    }

    private int list(DeadLetterQueue queue) {
        List<MergeRun> runs = new MergeRuns(queue).newest(SHOWN);
        Screen screen = Screen.of(spec);
        if (common.json) {
            runs.forEach(run -> Json.print(screen, RunJson.run(run)));
        } else if (runs.isEmpty()) {
            screen.say("Nothing was ever merged.");
        } else {
            new Table<MergeRun>(screen, List.of(
                    Column.whole("RUN", MergeRun::id),
                    Column.whole("PLANNED", run -> Words.time(run.plannedAt())),
                    Column.right("ITEMS", run -> "%,d".formatted(run.items())),
                    Column.shrinking("BY", 4, MergeRun::plannedBy),
                    Column.shrinking("STATE", 9, RunPage::state),
                    Column.ifRoom("REASON", 10, run -> run.reason().orElse("–")))).print(runs);
        }
        return 0;
    }
}
