// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.merge.Outcomes;
import io.chargeonce.dlq.merge.RunProgress;
import io.chargeonce.dlq.merge.RunStep;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Counted;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** What a run did and what became of it, for a person. */
public final class RunPage {

    private RunPage() {}

    /** At the end of a command that led a run. */
    public static void printEnd(RunProgress progress, RunStep end, AuditContext by, Screen screen, boolean json) {
        MergeRun run = progress.run();
        if (json) {
            JsonLines.print(screen, RunJson.end(progress, end));
            return;
        }
        sums(progress.results(), MoveResult.values(), "RESULT", Words::of, screen);
        screen.say(ChangeReport.committed(progress.results(), by));
        screen.say(switch (end) {
            case RunStep.Finished finished -> outcomes(progress.outcomes());
            case RunStep.Aborted aborted -> "Stopped by the run itself: %s. %s Nothing more moves until a person resumes it."
                    .formatted(aborted.verdict(), outcomes(progress.outcomes()));
            case RunStep.Stopped stopped -> "Stopped between two batches, nothing is left half done.";
            case RunStep.Lost lost -> "Stopped: another person has stopped or cancelled this run, or leads it now.";
            case RunStep.Moved moved -> "";
            case RunStep.Waits waits -> "";
        });
        if (end instanceof RunStep.Aborted || end instanceof RunStep.Stopped) {
            screen.print("To go on:         chargeonce dlq merge --resume %s", run.id());
        }
        screen.print("What becomes of it: chargeonce dlq runs show %s", run.id());
    }

    public static void print(MergeRuns.Report report, Screen screen) {
        MergeRun run = report.run();
        screen.print("%s", screen.bold(run.id()));
        field(screen, "state", state(run));
        field(screen, "planned", "%s by %s%s".formatted(Words.time(run.plannedAt()), run.plannedBy(),
                run.reason().map(": "::concat).orElse("")));
        field(screen, "set", "%s, fingerprint %s".formatted(Counted.of(run.items(), "dead letter"), run.fingerprint()));
        field(screen, "care", "canary %d, stops above %d%%%s".formatted(run.terms().canary(), run.terms().abortAbovePercent(),
                run.terms().rate().isPresent() ? ", from " + run.terms().rate().getAsInt() + " a second" : ""));
        screen.print("");
        sums(report.standings(), MoneyStatus.values(), "STANDING WHEN PLANNED", Words::of, screen);
        if (report.results().total().count() > 0) {
            screen.print("");
            sums(report.results(), MoveResult.values(), "WHAT THE RUN DID", Words::of, screen);
            screen.print("");
            screen.say(outcomes(report.outcomes()));
        }
    }

    public static String awaits(String run) {
        return "awaits approval by another person: chargeonce dlq approve " + run;
    }

    public static String state(MergeRun run) {
        String verdict = run.verdict().map(": "::concat).orElse("");
        return switch (run.state()) {
            case PLANNED -> run.awaitsApproval() ? awaits(run.id()) : "planned";
            case RUNNING -> run.isLed() ? "running, led by " + run.leader().orElseThrow() : "stopped, to be resumed";
            case FINISHED -> "finished";
            case ABORTED -> "aborted" + verdict;
            case CANCELLED -> "cancelled" + verdict;
        };
    }

    private static String outcomes(Outcomes outcomes) {
        return outcomes.entered() == 0 ? "None of them was to be charged."
                : "Of %,d that re-entered, %,d succeeded, %,d were declined, %,d failed again, %,d are unresolved, %,d are on their way."
                        .formatted(outcomes.entered(), outcomes.succeeded(), outcomes.declined(), outcomes.failedAgain(),
                                outcomes.unresolved(), outcomes.open());
    }

    private static <K extends Enum<K>> void sums(SumsByKind<K> sums, K[] kinds, String title, Function<K, String> inWords,
                                                 Screen screen) {
        List<K> present = Arrays.stream(kinds).filter(kind -> sums.of(kind).count() > 0).toList();
        if (!present.isEmpty()) {
            new Table<K>(screen, List.of(
                    Column.right("COUNT", kind -> "%,d".formatted(sums.of(kind).count())),
                    Column.rightLines("MONEY", kind -> sums.of(kind).moneyLines()),
                    Column.whole(title, inWords))).print(present);
        }
    }

    private static void field(Screen screen, String name, String value) {
        screen.labelled("  %-9s ".formatted(name), value);
    }
}
