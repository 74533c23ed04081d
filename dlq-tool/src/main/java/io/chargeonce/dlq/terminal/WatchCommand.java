package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Watch;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
        if (!Screen.isTerminal()) {
            WatchPage.print(Watch.now(queue), breakers.states(), Screen.of(spec));
            return 0;
        }
        try (var terminal = new RawTerminal(spec.commandLine().getOut(), TENTHS_BETWEEN_LOOKS)) {
            do {
                RawTerminal.Size size = terminal.size();
                terminal.draw(page(Watch.now(queue), breakers.states(), size), size);
            } while (terminal.key() != 'q');
            return 0;
        } catch (IOException e) {
            throw new IllegalStateException("the terminal can't be used (" + e.getMessage() + "); try --json", e);
        }
    }

    private List<String> page(Watch watch, Map<String, String> breakers, RawTerminal.Size size) {
        var page = new StringWriter();
        boolean colours = spec.commandLine().getColorScheme().ansi().enabled();
        WatchPage.print(watch, breakers, new Screen(new PrintWriter(page), size.columns(), colours));
        var lines = new ArrayList<>(page.toString().lines().toList());
        lines.add("");
        lines.add("q quits");
        return lines;
    }
}
