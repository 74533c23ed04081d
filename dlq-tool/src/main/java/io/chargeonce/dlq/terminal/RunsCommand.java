// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.RunPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "runs", usageHelpAutoWidth = true, sortOptions = false,
        subcommands = {RunsShowCommand.class, RunsRateCommand.class, RunsStopCommand.class},
        description = "Lists findings that wait for another person, then runs, the newest first. A run that was stopped can be resumed.",
        footer = {"  What waits for approval, and which can be resumed?",
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
        List<FourEyes.Waiting> findings = new FourEyes(queue).waiting();
        List<DlqRun> runs = new DlqRuns(queue).newest(SHOWN);
        Screen screen = Screen.of(spec);
        List<Line> lines = Stream.concat(findings.stream().map(Line::of), runs.stream().map(Line::of)).toList();
        if (common.json) {
            findings.forEach(finding -> JsonLines.print(screen, RunJson.finding(finding)));
            runs.forEach(run -> JsonLines.print(screen, RunJson.run(run)));
        } else if (lines.isEmpty()) {
            screen.say("There has been no run yet, and nothing waits for approval.");
        } else {
            Table.withEveryColumn(screen, List.<Column<Line>>of(
                    Column.whole("RUN", Line::run),
                    Column.whole("KIND", Line::kind),
                    Column.whole("PLANNED", line -> Words.time(line.plannedAt())),
                    Column.right("ITEMS", line -> "%,d".formatted(line.sum().count())),
                    Column.rightLines("MONEY", line -> line.sum().moneyLines()),
                    Column.whole("STATE", Line::state),
                    Column.shrinking("BY", 4, Line::by),
                    Column.shrinking("MORE", 20, Line::more),
                    Column.shrinking("REASON", 10, line -> line.reason().orElse("–")))).print(lines);
        }
        return 0;
    }

    private record Line(String run, String kind, Instant plannedAt, Sum sum, String by, String state, String more,
            Optional<String> reason) {

        static Line of(DlqRun run) {
            return new Line(run.id(), run.kind().words(), run.plannedAt(), run.sum(), run.plannedBy(), RunPage.brief(run),
                    RunPage.more(run), run.reason());
        }

        static Line of(FourEyes.Waiting waiting) {
            return new Line(waiting.run(), FourEyes.SETTLE, waiting.proposedAt(), Sum.of(Optional.of(waiting.finding().money())),
                    waiting.proposedBy(),
                    RunPage.AWAITS, RunPage.approval(waiting.run()), Optional.of(waiting.finding().evidence()));
        }
    }
}
