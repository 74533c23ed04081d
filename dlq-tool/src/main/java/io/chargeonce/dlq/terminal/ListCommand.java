// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.FilterOptions;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Listing;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.story.Export;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.ChangeReport;
import io.chargeonce.dlq.terminal.page.ListTable;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Lists dead letters, the newest first.",
            "--json also prints what they hold, with card tokens and personal fields masked. export --unmasked masks nothing."},
        exitCodeList = "1:--after names no dead letter that ever existed",
        footer = {"  The oldest of the last day that one PSP refused:",
            "    chargeonce dlq list --psp stripe --newer-than 1d --sort oldest",
            "  All payments of 100.00 EUR or more, for a script:",
            "    chargeonce dlq list --currency EUR --min-amount 10000 --json"})
final class ListCommand implements Callable<Integer> {

    private static final long SHOWN_TO_PEOPLE = 100;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    FilterOptions filters;

    @Option(names = "--purged", description = "Show what was purged and can still be restored, instead of what is in the queue.")
    boolean purged;

    @Option(names = "--sort", paramLabel = "ORDER", description = "newest, oldest, or amount for the largest first. The default is newest.")
    Optional<String> sort;

    @Option(names = "--columns", paramLabel = "NAMES", split = ",",
            description = "The columns to show, in this order: id, age, amount, cause, psp, merchant, standing, generation, tier, died, "
                    + "purged, restorable, message. All of them are shown, on a second line where the first is full.")
    List<String> columns = List.of();

    @Option(names = "--limit", paramLabel = "N", description = "Show at most N. The default is 100, and with --json all.")
    Optional<String> limit;

    @Option(names = "--after", paramLabel = "ID", description = "The next page: begin after this one, the last of the page before.")
    Optional<String> after;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        DeadLetterFilter filter = filters.filter(Optional.empty(), problems);
        long most = problems.number("--limit", limit).map(Integer::longValue)
                .orElse(common.json ? Long.MAX_VALUE : SHOWN_TO_PEOPLE);
        Order order = order(problems);
        ListTable.unknown(columns).forEach(name -> problems.add("--columns has no '%s'; there are %s".formatted(name, ListTable.NAMES)));
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, queue -> list(queue, filter, order, most));
    }

    private Order order(InputProblems problems) {
        return switch (sort.orElse("newest")) {
            case "newest" -> Order.NEWEST_FIRST;
            case "oldest" -> Order.OLDEST_FIRST;
            case "amount" -> Order.LARGEST_FIRST;
            default -> {
                problems.add("--sort is '%s', but must be newest, oldest or amount".formatted(sort.get()));
                yield Order.NEWEST_FIRST;
            }
        };
    }

    private int list(DeadLetterQueue queue, DeadLetterFilter filter, Order order, long most) {
        var all = new Listing(queue, purged ? Selection.From.THE_PURGED : Selection.From.THE_QUEUE);
        Optional<Listing> listing = after.isEmpty() ? Optional.of(all) : all.behind(after.get());
        if (listing.isEmpty()) {
            Screen.tell(spec, "no dead letter ever had the id '%s'".formatted(after.get()));
            return 1;
        }
        Screen screen = Screen.of(spec);
        if (common.json) {
            new Export(queue, true).run(listing.get(), filter, order, most, exported -> JsonLines.print(screen, Json.exported(exported)));
            return 0;
        }
        var table = columns.isEmpty() ? new ListTable(screen, purged) : new ListTable(screen, columns);
        var last = new AtomicReference<String>();
        boolean more = listing.get().pages(filter, order, most, page -> {
            table.print(page);
            last.set(page.getLast().id());
        });
        if (table.isEmpty()) {
            screen.say(purged ? ChangeReport.NOTHING_PURGED : ChangeReport.NOTHING_QUEUED);
        }
        if (more) {
            screen.say(
                    "There are more: --after %s shows the next, --limit more at once, and summary counts them all.".formatted(last.get()));
        }
        return 0;
    }
}
