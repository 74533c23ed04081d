package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterFilter;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Listing;
import io.chargeonce.dlq.Order;
import java.util.List;
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
                  "  chargeonce dlq list --psp stripe --newer-than 1d --sort oldest"})
final class ListCommand implements Callable<Integer> {

    private static final long SHOWN_TO_PEOPLE = 100;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    FilterOptions filters;

    @Option(names = "--sort", paramLabel = "ORDER", description = "newest, oldest or amount (the largest first). Newest unless said.")
    Optional<String> sort;

    @Option(names = "--columns", paramLabel = "NAMES", split = ",",
            description = "Which columns, in this order: id, age, amount, cause, psp, merchant, standing, generation, tier, died, message.")
    List<String> columns = ListTable.USUAL;

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
        Order order = order(problems);
        ListTable.unknown(columns).forEach(name -> problems.add("--columns has no '%s'; there are %s".formatted(name, ListTable.NAMES)));
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> list(queue, filter, order, most));
    }

    private Order order(Problems problems) {
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
        Screen screen = Screen.of(spec);
        if (common.json) {
            new Listing(queue).pages(filter, order, most, page -> page.forEach(letter -> Json.print(screen, Json.letter(letter))));
            return 0;
        }
        var table = new ListTable(screen, columns);
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
