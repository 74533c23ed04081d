// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.words.Change;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a merge or a purge would do, and what it did. */
public final class ChangeReport {

    private ChangeReport() {}

    /** What a merge would do, by standing, with money. */
    public static void printMergePlan(Plan plan, Screen screen) {
        printPlan(Change.Merging.of(plan.selection().filter()), plan, screen);
    }

    /** What a purge would do, by standing, with money. */
    public static void printPurgePlan(Plan plan, Screen screen) {
        printPlan(new Change.Purging(false), plan, screen);
    }

    public static void printPlan(Change change, Plan plan, Screen screen) {
        List<MoneyStatus> present = Arrays.stream(MoneyStatus.values()).filter(s -> plan.standings().of(s).count() > 0).toList();
        if (present.isEmpty()) {
            // Of each that was named it was said where it is not.
            screen.say(plan.selection().filter().ids().isPresent() ? "Nothing was changed."
                    : "%s: there is nothing to %s.".formatted(change.nothing(plan.selection().filter().isEverything()), change.verb()));
            return;
        }
        new Table<MoneyStatus>(screen, List.of(
                Column.right("COUNT", s -> "%,d".formatted(plan.standings().of(s).count())),
                Column.rightLines("MONEY", s -> plan.standings().of(s).moneyLines()),
                Column.whole("STANDING", Words::of),
                Column.whole(change.verb().toUpperCase(Locale.ROOT), change::inWords))).print(present);
        screen.say("%,d in all, fingerprint %s.".formatted(plan.standings().total().count(), plan.fingerprint()));
        if (change instanceof Change.Purging purging && purging.evenUnresolved() && present.contains(MoneyStatus.UNRESOLVED)) {
            screen.say("Nothing is sent for what is unresolved any more. What its PSP already has, the PSP may still execute.");
        }
        if (change instanceof Change.Merging merging) {
            MergeNotes.print(s -> present.contains(s) && !(s == MoneyStatus.STOPPED && merging.evenStopped()), merging::inWords, screen);
        }
    }

    /** The plan, and what the caller can do next. */
    public static void printDry(Change change, Plan plan, String next, Screen screen) {
        printPlan(change, plan, screen);
        if (plan.standings().total().count() > 0) {
            screen.say(would(change, plan) > 0 ? "Nothing was changed. " + next
                    : "Nothing was changed. None of it can be %sd: --yes would change nothing.".formatted(change.verb()));
        }
    }

    /** How many of the plan's dead letters the change would move. */
    public static long would(Change change, Plan plan) {
        return Arrays.stream(MoneyStatus.values()).filter(s -> !change.refuses(s)).mapToLong(s -> plan.standings().of(s).count()).sum();
    }

    static String committed(SumsByKind<MoveResult> results, AuditContext by) {
        boolean moved = Arrays.stream(MoveResult.values()).anyMatch(result -> result.isMove() && results.of(result).count() > 0);
        return (moved ? "Committed and staged for Kafka, as %s by %s." : "Nothing was changed by %s of %s.").formatted(by.run(),
                by.actor());
    }

    /** What became of each, by result, with money. */
    public static void printResult(AuditContext by, Sweep.Result result, Screen screen) {
        SumsByKind<MoveResult> results = result.results();
        List<MoveResult> present = Arrays.stream(MoveResult.values()).filter(f -> results.of(f).count() > 0).toList();
        if (present.isEmpty()) {
            screen.say("Nothing was changed.");
        } else {
            new Table<MoveResult>(screen, List.of(
                    Column.right("COUNT", f -> "%,d".formatted(results.of(f).count())),
                    Column.rightLines("MONEY", f -> results.of(f).moneyLines()),
                    Column.whole("RESULT", Words::of))).print(present);
            screen.say(committed(results, by));
            if (results.of(MoveResult.PURGED).count() > 0) {
                screen.print("To undo it:  chargeonce dlq restore --run %s --reason … --yes", by.run());
            }
        }
        if (!result.finished()) {
            screen.say("Stopped between two batches, nothing is left half done; the same command does the rest.");
        }
    }
}
