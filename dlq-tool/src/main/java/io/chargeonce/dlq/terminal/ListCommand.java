package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterFilter;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Listing;
import io.chargeonce.dlq.Order;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists dead letters, the newest first.", usageHelpAutoWidth = true, sortOptions = false,
        footer = {"", "Example: the oldest hundred of the last day that one PSP refused",
                  "  chargeonce dlq list --psp stripe --newer-than 1d --oldest-first"})
final class ListCommand implements Callable<Integer> {

    private static final long SHOWN_TO_PEOPLE = 100;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    FilterOptions filters;

    @Option(names = "--oldest-first", description = "The oldest first.")
    boolean oldestFirst;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many; 100 unless said, and with --json all.")
    Optional<String> limit;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        DeadLetterFilter filter = filters.filter(Optional.empty(), problems);
        long most = problems.number("--limit", limit).map(Integer::longValue)
                .orElse(common.json ? Long.MAX_VALUE : SHOWN_TO_PEOPLE);
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> list(queue, filter, most));
    }

    private int list(DeadLetterQueue queue, DeadLetterFilter filter, long most) {
        Screen screen = Screen.of(spec);
        Order order = oldestFirst ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
        if (common.json) {
            new Listing(queue).pages(filter, order, most, page -> page.forEach(letter -> Json.print(screen, Json.letter(letter))));
            return 0;
        }
        var table = new ListTable(screen);
        boolean more = new Listing(queue).pages(filter, order, most, table::print);
        if (table.isEmpty()) {
            screen.say("The dead-letter queue holds nothing of this kind.");
        }
        if (more) {
            screen.say("There are more; --limit shows more at once, summary counts them all.");
        }
        return 0;
    }
}
