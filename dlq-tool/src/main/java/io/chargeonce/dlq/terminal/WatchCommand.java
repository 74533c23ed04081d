package io.chargeonce.dlq.terminal;

import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Watch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "watch", usageHelpAutoWidth = true, sortOptions = false,
        description = {"A live screen: arrivals by cause, what waits in the tiers and is overdue, breakers, open merge runs. q quits.",
                       "Without a terminal, or with --json, looks once."},
        footer = {"", "Examples:", "  chargeonce dlq watch", "  chargeonce dlq watch --metrics charge-0:9100 --metrics charge-1:9100"})
final class WatchCommand implements Callable<Integer> {

    private static final int TENTHS_BETWEEN_LOOKS = 10;
    private static final String QUITS = "q quits";

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Where a charging process serves its metrics, for its breakers; "
            + "as often as there are processes. 127.0.0.1:9100 unless said.")
    List<String> metrics = new ArrayList<>();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::watch);
    }

    private int watch(DeadLetterQueue queue) {
        var breakers = new Breakers(metrics.isEmpty() ? List.of("127.0.0.1:9100") : metrics);
        if (common.json) {
            Json.print(Screen.of(spec), WatchPage.json(Watch.now(queue), breakers.states()));
            return 0;
        }
        // Who can't reach Postgres from the beginning is told so on the usual screen.
        Watch first = Watch.now(queue);
        if (!Screen.isTerminal()) {
            Screen screen = Screen.of(spec);
            WatchPage.lines(first, breakers.states(), screen, Screen.ENDLESS).forEach(line -> screen.print("%s", line));
            return 0;
        }
        try (var terminal = new RawTerminal(spec.commandLine().getOut(), TENTHS_BETWEEN_LOOKS)) {
            watch(queue, first, breakers, terminal);
            return 0;
        } catch (IOException e) {
            throw new IllegalStateException("the terminal can't be used (" + e.getMessage() + "); try --json", e);
        }
    }

    private void watch(DeadLetterQueue queue, Watch first, Breakers breakers, RawTerminal terminal) throws IOException {
        terminal.draw(page(first, QUITS, breakers.states(), terminal.size()), terminal.size());
        Watch watch = first;
        while (terminal.key() != 'q') {
            String footer = QUITS;
            try {
                watch = Watch.now(queue);
            } catch (DatabaseUnavailable e) {
                footer = "Postgres can't be reached; this is what was known at the time above. " + QUITS;
            }
            RawTerminal.Size size = terminal.size();
            terminal.draw(page(watch, footer, breakers.states(), size), size);
        }
    }

    private List<String> page(Watch watch, String footer, Map<String, String> breakers, RawTerminal.Size size) {
        boolean colours = spec.commandLine().getColorScheme().ansi().enabled();
        var screen = new Screen(spec.commandLine().getOut(), size.columns(), colours);
        return Stream.of(WatchPage.lines(watch, breakers, screen, size.rows() - 2), List.of("", Printable.cut(footer, size.columns())))
                .flatMap(List::stream).toList();
    }
}
