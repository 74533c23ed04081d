// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a merge, a purge or a restore would do. */
public final class ChangeReport {

    public static final String NOTHING_QUEUED = "The dead-letter queue holds nothing of this kind.";
    public static final String NOTHING_PURGED = "Nothing purged of this kind is left to restore.";

    private ChangeReport() {}

    /**
     * The message for an id that is not in the place that a change of this kind reads.
     *
     * @param letter as it is now; empty if there is none with this id
     */
    public static String missing(RunKind kind, String id, Optional<DeadLetterView> letter) {
        return (kind.from() == Selection.From.THE_PURGED ? "not left to restore: " : "not in the queue: ") + id
                + letter.map(now -> now.state().equals("dead") ? " is in the queue"
                        : " was %s at %s".formatted(now.state(), Words.time(now.changedAt()))).orElse("");
    }

    private static String nothing(RunKind kind, boolean everything) {
        return switch (kind.from()) {
            case THE_QUEUE -> "The dead-letter queue %s: there is nothing to %s.".formatted(
                    everything ? "is empty" : "holds nothing of this kind", kind.tag());
            case THE_PURGED -> everything ? "Nothing purged is left to restore." : NOTHING_PURGED;
        };
    }

    /** What it would do, by standing, with money. */
    public static void printPlan(RunKind kind, RunTerms given, Plan plan, List<Hold> holds, Screen screen) {
        DeadLetterFilter filter = plan.selection().filter();
        RunTerms terms = given.selecting(kind, filter);
        List<MoneyStatus> present = Arrays.stream(MoneyStatus.values()).filter(s -> plan.standings().of(s).count() > 0).toList();
        if (present.isEmpty()) {
            // Of each that was named it was said where it is not.
            screen.say(filter.ids().isPresent() ? "Nothing was changed."
                    : nothing(kind, filter.isEverything()));
            return;
        }
        new Table<MoneyStatus>(screen, List.of(
                Column.right("COUNT", s -> "%,d".formatted(plan.standings().of(s).count())),
                Column.rightLines("MONEY", s -> plan.standings().of(s).moneyLines()),
                Column.whole("STANDING", Words::of),
                Column.whole(kind.tag().toUpperCase(Locale.ROOT), s -> Words.planned(kind, terms, s)))).print(present);
        screen.say("%,d in all, fingerprint %s.".formatted(plan.standings().total().count(), plan.fingerprint()));
        if (terms.evenUnresolved() && present.contains(MoneyStatus.UNRESOLVED)) {
            screen.say("Nothing is sent for what is unresolved any more. What its PSP already has, the PSP may still execute.");
        }
        if (kind == RunKind.MERGE) {
            printTargets(plan.targets(), plan.standings(), screen);
            MergeNotes.print(s -> present.contains(s) && !(s == MoneyStatus.STOPPED && terms.evenStopped()),
                    s -> Words.planned(kind, terms, s), screen);
            holds.stream().filter(Hold::isPause).forEach(hold -> screen.say("%s. What it holds only waits in the tiers.".formatted(
                    Words.of(hold))));
        }
    }

    /** Where other systems' records would go, which whoever wrote their headers has chosen. */
    public static void printTargets(Map<String, Long> targets, SumsByKind<MoneyStatus> standings, Screen screen) {
        if (!targets.isEmpty()) {
            long others = standings.of(MoneyStatus.FOREIGN).count() - targets.values().stream().mapToLong(Long::longValue).sum();
            screen.say("Of other systems' records: %s%s.".formatted(targets.entrySet().stream()
                    .map(topic -> "to %s %,d".formatted(topic.getKey(), topic.getValue())).collect(Collectors.joining(" · ")),
                    others > 0 ? " · to other topics %,d".formatted(others) : ""));
        }
    }

    /** The plan, and what the caller can do next. */
    public static void printDry(RunKind kind, RunTerms terms, Plan plan, List<Hold> holds, Screen screen) {
        printPlan(kind, terms, plan, holds, screen);
        if (plan.standings().total().count() > 0) {
            screen.say(would(kind, terms, plan) > 0
                    ? "Nothing was changed. Add --yes to do it, or --plan to freeze this set and look again."
                    : "Nothing was changed. None of it can be %sd: --yes would change nothing.".formatted(kind.tag()));
        }
    }

    /** How many of the plan's dead letters the change would move. */
    public static long would(RunKind kind, RunTerms given, Plan plan) {
        RunTerms terms = given.selecting(kind, plan.selection().filter());
        return Arrays.stream(MoneyStatus.values()).filter(s -> kind.takes(s, terms)).mapToLong(s -> plan.standings().of(s).count()).sum();
    }
}
