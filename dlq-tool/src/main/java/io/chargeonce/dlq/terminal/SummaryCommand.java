// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.input.FilterOptions;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.OtherTiers;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.UnmatchedCount;
import io.chargeonce.dlq.query.WaitingForPsp;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.SummaryTable;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Counted;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "summary", usageHelpAutoWidth = true, sortOptions = false,
        description = "Groups dead letters by cause, PSP and merchant: how many, how much money, how old, and what a merge would do.",
        footer = {"  What died within the last hour?",
            "    chargeonce dlq summary --newer-than 1h"})
final class SummaryCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    FilterOptions filters;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        DeadLetterFilter filter = filters.filter(Optional.empty(), problems);
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, queue -> summarise(queue, filter));
    }

    private int summarise(DeadLetterQueue queue, DeadLetterFilter filter) {
        Summary summary = Summary.of(queue, filter);
        List<WaitingForPsp> waiting = WaitingForPsp.of(queue);
        List<Hold> holds = new Holds(queue).list();
        List<UnmatchedCount> unmatched = UnmatchedCount.of(queue);
        List<OtherTiers> others = OtherTiers.of(queue);
        Screen screen = Screen.of(spec);
        if (common.json) {
            summary.groups().forEach(group -> JsonLines.print(screen, Json.group(group)));
            waiting.forEach(each -> JsonLines.print(screen, Map.of("waiting_for_psp", each.why(), "count", each.count())));
            unmatched
                    .forEach(count -> JsonLines.print(screen, Map.of("unmatched_notices", Map.of("psp", count.psp(), "count", count.count(),
                            "oldest_seconds", count.oldest().toSeconds(), "oldest_attempt", count.key()))));
            holds.forEach(hold -> JsonLines.print(screen, Map.of("hold", HoldJson.of(hold))));
            others.forEach(other -> JsonLines.print(screen, Map.of("settings_differ", Map.of("setting", "CHARGEONCE_RETRY_TIERS", "used",
                    other.used(), "agreed", other.agreed(), "processes", other.processes()))));
            JsonLines.print(screen, Map.of("total", Json.sum(summary.total())));
        } else {
            SummaryTable.print(summary, screen);
            waiting.forEach(each -> screen.say("%s not dead: %s.".formatted(each.count() == 1 ? "1 payment or refund waits and is"
                    : "%,d payments and refunds wait and are".formatted(each.count()), each.why())));
            holds.forEach(hold -> screen.say(Words.of(hold) + "."));
            others.forEach(other -> screen.say("%s the retry tiers %s, and %s are agreed. Restart with these."
                    .formatted(other.processes() == 1 ? "1 running process uses" : "%,d running processes use".formatted(other.processes()),
                            other.used(), other.agreed())));
            unmatched.forEach(
                    count -> screen.say(("%s sent %s about attempts that are not known here, the first %s ago, about %s. "
                            + "A failover may have lost them, or another system uses the account. The pipeline tries to match them again.")
                            .formatted(count.psp(), Counted.of(count.count(), "webhook"), Ages.brief(count.oldest()), count.key())));
        }
        return 0;
    }
}
