// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.Outcomes;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.run.RunStep;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Counted;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a run did and what became of it, for a person. */
public final class RunPage {

    private RunPage() {}

    /**
     * At the end of a command that led a run.
     *
     * @param run as it is now
     */
    public static void printEnd(DlqRun run, RunProgress progress, RunStep end, AuditContext by, Screen screen, boolean json) {
        if (json) {
            JsonLines.print(screen, RunJson.end(run, progress, end));
            return;
        }
        sums(progress.results(), MoveResult.values(), "RESULT", result -> Words.of(run.kind(), result), screen);
        outcomes(progress.outcomes(), progress.asked(), screen);
        screen.say(committed(progress.results(), by));
        if (progress.results().of(MoveResult.PURGED).count() > 0) {
            screen.print("To undo it:  chargeonce dlq restore --run %s --reason … --yes", run.id());
        }
        if (progress.results().of(MoveResult.STOPPED).count() > 0) {
            screen.print("To undo it:  chargeonce dlq merge --cause stopped --run %s --yes", run.id());
        }
        boolean allSent = run.kind().isWatched() && progress.results().total().count() >= run.items();
        String words = switch (end) {
            case RunStep.Finished finished -> run.kind().isWatched() ? finished(run, progress.outcomes()) : "";
            case RunStep.Aborted aborted -> "Aborted by the run itself: %s. %s".formatted(aborted.verdict(), allSent
                    ? "All of it was sent, and what died again is in the queue." : "Nothing more moves until a person resumes it.");
            case RunStep.Stopped stopped -> "Stopped between two batches, nothing is left half done.";
            case RunStep.Lost lost -> lost(run);
            case RunStep.Unapproved unapproved -> "";
            case RunStep.Held held -> "Stopped: %s, and the canary waits for that.".formatted(held.pause());
            case RunStep.Moved moved -> "";
            case RunStep.Waits waits -> "";
        };
        if (!words.isEmpty()) {
            screen.say(words);
        }
        if (allSent && end instanceof RunStep.Aborted) {
            screen.print("What died again:    chargeonce dlq list --run %s --died-again", run.id());
        } else if (!run.state().isEnd() && !run.isLed() && !(end instanceof RunStep.Unapproved)) {
            screen.print("To go on:           chargeonce dlq %s --resume %s", run.kind().command(), run.id());
        }
        if (!run.kind().isWatched()) {
            return;
        }
        Outcomes sent = progress.outcomes();
        boolean ended = allSent && sent.entered().count() > 0 && sent.open().count() + progress.asked().open().count() == 0;
        screen.print("%s chargeonce dlq runs show %s", ended ? "What became of it:  " : "What becomes of it: ", run.id());
    }

    /** Why its leader goes on no more, though the run had not come to its end. */
    private static String lost(DlqRun run) {
        return switch (run.state()) {
            case CANCELLED -> "Stopped: the run was %s.".formatted(run.verdict().orElse("cancelled"));
            case FINISHED, ABORTED -> "Stopped: another process took this run over and led it to its end.";
            case PLANNED, RUNNING ->
                run.isLed() ? "Stopped: %s leads this run in another process now.".formatted(run.leader().orElseThrow())
                        : "Stopped: a person stopped this run from elsewhere.";
        };
    }

    private static String committed(SumsByKind<MoveResult> results, AuditContext by) {
        return (MoveResult.moved(results) > 0 ? "Committed and staged for Kafka, as %s by %s." : "Nothing was changed by %s of %s.")
                .formatted(by.run(), by.actor());
    }

    public static void print(DlqRuns.Report report, Screen screen) {
        DlqRun run = report.run();
        screen.print("%s", screen.bold(run.id()));
        field(screen, "kind", run.kind().words());
        field(screen, "state", state(run));
        run.approvedBy().ifPresent(name -> field(screen, "approved", "by " + name));
        field(screen, "planned", "%s by %s%s".formatted(Words.time(run.plannedAt()), run.plannedBy(),
                run.reason().map(": "::concat).orElse("")));
        field(screen, "set", "%s, fingerprint %s".formatted(set(run), run.fingerprint()));
        field(screen, "care", "canary %d%s%s".formatted(run.terms().canary(),
                run.kind().isWatched() ? ", aborts above %d%%".formatted(run.terms().abortAbovePercent()) : "",
                run.terms().rate().isPresent() ? ", from " + run.terms().rate().getAsInt() + " a second" : ""));
        if (report.standings().total().count() > 0) {
            screen.print("");
            sums(report.standings(), MoneyStatus.values(), "STANDING WHEN PLANNED", Words::of, screen);
            if (run.kind() == RunKind.MERGE) {
                ChangeReport.printTargets(report.targets(), report.standings(), screen);
            }
        }
        if (report.results().total().count() > 0) {
            screen.print("");
            sums(report.results(), MoveResult.values(), "WHAT THE RUN DID", result -> Words.of(run.kind(), result), screen);
            if (report.outcomes().entered().count() + report.asked().entered().count() > 0) {
                screen.print("");
                outcomes(report.outcomes(), report.asked(), screen);
            }
        }
    }

    /** How many it is about, and how much money. */
    public static String set(DlqRun run) {
        return "%s, %s".formatted(Counted.of(run.items(), run.kind().noun()),
                run.sum().money().isEmpty() ? "no money" : String.join(", ", run.sum().moneyLines()));
    }

    /** In a word or two, for a list. */
    public static String brief(DlqRun run) {
        return run.awaitsApproval() ? AWAITS : switch (run.state()) {
            case PLANNED -> "planned";
            case RUNNING -> run.isLed() ? "running" : "stopped";
            case FINISHED -> "finished";
            case ABORTED -> "aborted";
            case CANCELLED -> "cancelled";
        };
    }

    /** What a list has beside that. */
    public static String more(DlqRun run) {
        return run.awaitsApproval() ? approval(run.id()) : switch (run.state()) {
            case PLANNED -> Column.NONE;
            case RUNNING -> run.isLed() ? "led by " + run.leader().orElseThrow() : Column.NONE;
            case FINISHED -> Column.NONE;
            case ABORTED, CANCELLED -> run.verdict().orElse(Column.NONE);
        };
    }

    public static String approval(String run) {
        return "chargeonce dlq approve " + run;
    }

    public static final String AWAITS = "awaits approval";

    public static String state(DlqRun run) {
        return stateAlone(run) + (run.awaitsApproval() ? "; %s by another person: %s".formatted(AWAITS, approval(run.id())) : "");
    }

    private static String stateAlone(DlqRun run) {
        return switch (run.state()) {
            case PLANNED -> "planned";
            case RUNNING -> run.isLed() ? "running, led by " + run.leader().orElseThrow() : "stopped, to be resumed";
            case FINISHED -> "finished";
            case ABORTED -> "aborted" + run.verdict().map(": "::concat).orElse("");
            case CANCELLED -> run.verdict().orElse("cancelled");
        };
    }

    private static String finished(DlqRun run, Outcomes outcomes) {
        return run.sum().money().isEmpty() ? "It held no payment."
                : outcomes.entered().count() == 0 ? "None of them was to be charged."
                        : outcomes.open().count() == 0 ? "All that was sent has ended."
                                : "All was sent, and some of it is still under way.";
    }

    private record Became(String what, Sum sum) {}

    private static void outcomes(Outcomes outcomes, Outcomes asked, Screen screen) {
        List<Became> present = Stream.of(new Became("succeeded", outcomes.succeeded()), new Became("declined", outcomes.declined()),
                new Became("failed again", outcomes.failedAgain()), new Became("unresolved", outcomes.unresolved()),
                new Became("still under way", outcomes.open()),
                new Became("queried: succeeded", asked.succeeded()), new Became("queried: declined", asked.declined()),
                new Became("queried: not charged, dead", asked.failedAgain()),
                new Became("queried: not known yet", asked.open())).filter(became -> became.sum.count() > 0).toList();
        if (!present.isEmpty()) {
            new Table<Became>(screen, List.of(
                    Column.right("COUNT", became -> "%,d".formatted(became.sum.count())),
                    Column.rightLines("MONEY", became -> became.sum.moneyLines()),
                    Column.whole("WHAT BECAME OF THEM", Became::what))).print(present);
        }
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
