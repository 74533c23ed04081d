// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.input.WaitingOptions;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.json.WaitingJson;
import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.input.RunTermsOptions;
import io.chargeonce.dlq.terminal.page.WaitingPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.Operation;
import io.chargeonce.terminal.Screen;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "waiting", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Shows what waits in the retry tiers: how many, how much money, why, and when they are tried next.",
            "--now retries them now. --stop moves them to the dead-letter queue, and declined payments that are to be presented again "
                    + "too. Both show what they would do, and do it with --yes.",
            "What waits in a tier has no open attempt, so neither can charge twice. A payment whose outcome is unknown is not in a tier."},
        exitCodeList = {
            "1:an id does not wait in a tier, or was tried or ended meanwhile; with --stop, any of them was not stopped; or the "
                    + "run has not finished",
            "130:stopped by Ctrl-C between two batches; the output says how to go on"},
        footer = {"  What waits, and for what?",
            "    chargeonce dlq waiting",
            "  The PSP is well again, and its payments need not wait for their time:",
            "    chargeonce dlq waiting --psp stripe --now --yes",
            "  The merchant has cancelled the order:",
            "    chargeonce dlq waiting --key order-1001 --stop --reason \"cancelled\" --yes"})
final class WaitingCommand implements Callable<Integer> {

    private static final int NO = 1;
    private static final int PAGE = 500;
    private static final long SHOWN_TO_PEOPLE = 100;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    WaitingOptions which;

    @Option(names = "--all",
            description = "With --now or --stop: everything that waits in a tier; with --stop each planned presentation too.")
    boolean all;

    @Option(names = "--each", description = "One line for each, what is due first comes first. Ids are shown so by themselves.")
    boolean each;

    @Option(names = "--limit", paramLabel = "N", description = "With --each, at most so many. The default is 100, and with --json all.")
    Optional<String> limit;

    @Option(names = "--now", description = "Have them tried now.")
    boolean now;

    @Option(names = "--stop", description = "Do not try them again: move them to the dead-letter queue, where merge and purge find them.")
    boolean stop;

    @Option(names = "--yes", description = "Do it. Without it, --now and --stop only show what they would do.")
    boolean yes;

    @Option(names = "--plan", description = "With --now or --stop: freeze the set as a run, and move nothing. --resume confirms it.")
    boolean plan;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log. --stop needs one.")
    Optional<String> reason;

    @Mixin
    RunTermsOptions careful;

    @Option(names = "--resume", paramLabel = "RUN",
            description = "Go on with a run of --now or --stop that was planned, stopped, killed or aborted.")
    Optional<String> resume;

    @Option(names = "--cancel", paramLabel = "RUN", description = "End a run of --now or --stop for good. What it moved stays moved.")
    Optional<String> cancel;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        WaitingFilter filter = which.filter(problems);
        if (resume.isPresent() || cancel.isPresent()) {
            return goOnOrEnd(filter, problems);
        }
        RunTerms terms = careful.terms(problems);
        Optional<Integer> most = problems.number("--limit", limit);
        if (now || stop) {
            checkChange(filter, problems);
        } else if (all || yes || plan || reason.isPresent()) {
            problems.add("--all, --yes and --reason go with --now or --stop, and so does --plan");
        } else if (careful.any()) {
            problems.add("--canary and --rate go with --now or --stop");
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> known(queue, filter, most, terms));
    }

    private RunCall run() {
        return new RunCall(stop ? RunKind.STOP : RunKind.RETRY_NOW, spec, reason, Duration.ZERO, common.json);
    }

    /** A run that there is already. */
    private int goOnOrEnd(WaitingFilter filter, InputProblems problems) {
        boolean alone = !now && !stop && !all && !each && !yes && !plan && limit.isEmpty() && !careful.any();
        if (resume.isPresent() == cancel.isPresent() || !alone || !filter.equals(WaitingFilter.everything())) {
            problems.add("name only the run, with --resume or --cancel, and a --reason if you like");
        }
        problems.reason("--reason", reason);
        return problems.any() ? problems.print(spec)
                : dlq.with(spec, queue -> resume.isPresent() ? run().resume(queue, resume.get()) : run().cancel(queue, cancel.get()));
    }

    private void checkChange(WaitingFilter filter, InputProblems problems) {
        if (now && stop) {
            problems.add("--now has them tried and --stop does not: say one of them");
        }
        if (all == !filter.equals(WaitingFilter.everything())) {
            problems.add(all ? "--all means everything, so name no ids and no filter with it" : "name ids or a filter, or say --all");
        }
        if (plan && yes) {
            problems.add("--plan moves nothing and --yes does it: say one of them");
        }
        if (each || limit.isPresent()) {
            problems.add("--each and --limit only show: leave them out with --now and --stop");
        }
        if (stop) {
            problems.needsReason(reason);
        } else {
            problems.reason("--reason", reason);
        }
    }

    private int known(DeadLetterQueue queue, WaitingFilter filter, Optional<Integer> most, RunTerms terms) {
        var problems = new InputProblems();
        KnownValues.missing(queue, filter.cause(), filter.psp(), filter.merchant(), filter.tier(), Optional.empty())
                .forEach(problems::unknown);
        ByName.missing(spec, queue, filter.names()).forEach(problems::unknown);
        if (problems.any()) {
            return problems.print(spec);
        }
        Instant asOf = WaitingPayments.now(queue);
        if (now || stop) {
            return change(queue, filter, asOf, terms);
        }
        return each || filter.ids().isPresent() ? each(queue, filter, asOf, most) : groups(queue, filter, asOf);
    }

    private int groups(DeadLetterQueue queue, WaitingFilter filter, Instant asOf) {
        List<WaitingPayments.Group> groups = WaitingPayments.groups(queue, filter, asOf);
        Screen screen = Screen.of(spec);
        WaitingPayments.Presentations presentations = WaitingPayments.presentations(queue);
        List<Hold> holds = new Holds(queue).list();
        int exit = named(queue, filter, total(groups).count());
        if (common.json) {
            groups.forEach(group -> JsonLines.print(screen, WaitingJson.of(group)));
            holds.forEach(hold -> JsonLines.print(screen, Map.of("hold", HoldJson.of(hold))));
            JsonLines.print(screen, Map.of("total", Json.sum(total(groups)), "presentations", presentations.count()));
            return exit;
        }
        printGroups(groups, filter, screen);
        holds.forEach(hold -> screen.say(Words.of(hold) + "."));
        if (filter.equals(WaitingFilter.everything()) && presentations.count() > 0) {
            screen.say(("%s in no tier, the first due %s: to be presented again, or to end as declined. --now leaves them. --stop takes "
                    + "those that are to be presented again.")
                    .formatted(
                            presentations.count() == 1 ? "1 declined payment waits"
                                    : "%,d declined payments wait".formatted(presentations.count()),
                            WaitingPage.due(presentations.first())));
        }
        return exit;
    }

    private static void printGroups(List<WaitingPayments.Group> groups, WaitingFilter filter, Screen screen) {
        if (groups.isEmpty()) {
            screen.say(
                    filter.equals(WaitingFilter.everything()) ? "Nothing waits in the tiers." : "Nothing of this kind waits in the tiers.");
            return;
        }
        WaitingPage.print(groups, screen);
        screen.say("%,d in all.".formatted(total(groups).count()));
    }

    private static Sum total(List<WaitingPayments.Group> groups) {
        return groups.stream().map(WaitingPayments.Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }

    private int each(DeadLetterQueue queue, WaitingFilter filter, Instant asOf, Optional<Integer> most) {
        Screen screen = Screen.of(spec);
        var table = WaitingPage.table(screen);
        long left = most.map(Integer::longValue).orElse(common.json ? Long.MAX_VALUE : SHOWN_TO_PEOPLE);
        long shown = 0;
        Optional<WaitingPayments.Position> after = Optional.empty();
        while (true) {
            int wanted = (int) Math.min(PAGE, left);
            List<WaitingPayment> page = WaitingPayments.page(queue, filter, asOf, after, wanted + 1);
            List<WaitingPayment> printed = page.subList(0, Math.min(wanted, page.size()));
            if (common.json) {
                printed.forEach(payment -> JsonLines.print(screen, WaitingJson.of(payment)));
            } else if (!printed.isEmpty()) {
                table.print(printed);
            }
            shown += printed.size();
            left -= printed.size();
            if (page.size() <= wanted || left == 0) {
                return end(queue, filter, shown, page.size() > wanted, screen);
            }
            after = Optional.of(WaitingPayments.Position.of(printed.getLast()));
        }
    }

    private int end(DeadLetterQueue queue, WaitingFilter filter, long shown, boolean more, Screen screen) {
        if (!common.json && shown == 0) {
            printGroups(List.of(), filter, screen);
        }
        if (!common.json && more) {
            screen.say("There are more: --limit shows more of them, and without --each they are counted.");
        }
        return Math.max(missing(filter, shown), named(queue, filter, shown));
    }

    /** What was named as others call it must wait, else the answer is no, with what became of it. */
    private int named(DeadLetterQueue queue, WaitingFilter filter, long found) {
        Optional<String> name = filter.names().key().or(filter.names()::reference).filter(given -> found == 0);
        name.ifPresent(given -> new ByName(spec, common.json).tellOf(queue, given));
        return name.isPresent() ? NO : 0;
    }

    /** Named ids must all wait, else the answer is no. */
    private int missing(WaitingFilter filter, long found) {
        long missing = filter.ids().map(ids -> ids.stream().distinct().count() - found).orElse(0L);
        if (missing > 0) {
            tell("%s in no tier: chargeonce dlq why ID tells where it is"
                    .formatted(missing == 1 ? "1 of these waits" : "%,d of these wait".formatted(missing)));
        }
        return missing > 0 ? NO : 0;
    }

    private int change(DeadLetterQueue queue, WaitingFilter filter, Instant asOf, RunTerms terms) {
        List<WaitingPayments.Group> groups = WaitingPayments.groups(queue, reached(filter), asOf);
        long count = total(groups).count();
        Screen screen = Screen.of(spec);
        if ((yes || plan) && count > 0) {
            return Math.max(missing(filter, count), run().endWait(queue, reached(filter), asOf, terms, plan));
        }
        if (common.json) {
            JsonLines.print(screen, Map.of("dry", !yes, "total", Json.sum(total(groups))));
        } else {
            printGroups(groups, filter, screen);
            if (count > 0) {
                screen.say(now ? "Nothing was changed. With --yes they are tried now; one whose PSP is still not well is parked again."
                        : "Nothing was changed. With --yes they go to the dead-letter queue, where merge has them tried again.");
                if (stop && groups.stream().anyMatch(group -> group.cause().equals(Operation.DECLINE_UNVERIFIED))) {
                    screen.say("Those with the cause %s are left: they end as declined.".formatted(Operation.DECLINE_UNVERIFIED));
                }
            }
        }
        return Math.max(missing(filter, count), named(queue, filter, count));
    }

    /** A presentation is never made earlier, but it may be stopped. */
    private WaitingFilter reached(WaitingFilter filter) {
        return stop ? filter.withPresentations() : filter;
    }

    private void tell(String message) {
        Screen.tell(spec, message);
    }
}
