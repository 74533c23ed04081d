// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.Breakers;
import io.chargeonce.dlq.terminal.page.QueuePoller;
import io.chargeonce.dlq.terminal.page.WatchPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.RawTerminal;
import io.chargeonce.terminal.Cells;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jline.terminal.Size;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "watch", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "A live screen: arrivals by cause, what waits in the tiers or is overdue, circuit breakers, and open runs. q quits.",
            "Without a terminal, or with --json, it looks once."},
        footer = {"  On the machine where 'chargeonce up' runs:",
            "    chargeonce dlq watch",
            "  With the breakers of two charging processes:",
            "    chargeonce dlq watch --metrics charge-0:9100 --metrics charge-1:9100"})
final class WatchCommand implements Callable<Integer> {

    private static final int TENTHS_BETWEEN_PAGES = 10;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Where a charging process serves its metrics, for its breakers. "
            + "Repeat it for each process. The default is 127.0.0.1:9100.")
    List<String> metrics = new ArrayList<>();

    @Option(names = "--metrics-token", paramLabel = "FILE",
            description = "File with the token that those processes require: the one in their CHARGEONCE_ADMIN_TOKEN_FILE.")
    Optional<Path> token = Optional.empty();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::watch);
    }

    private static String read(Path file) {
        try {
            return TextFile.read(file).strip();
        } catch (IOException e) {
            throw new IllegalStateException("--metrics-token: %s can't be read (%s)".formatted(file, e), e);
        }
    }

    private int watch(DeadLetterQueue queue) {
        var breakers = new Breakers(metrics.isEmpty() ? List.of("127.0.0.1:9100") : metrics, token.map(WatchCommand::read));
        if (common.json) {
            JsonLines.print(Screen.of(spec), WatchPage.json(Watch.now(queue), breakers.states()));
            return 0;
        }
        if (!Screen.isTerminal()) {
            Screen screen = Screen.of(spec);
            WatchPage.lines(Watch.now(queue), breakers.states(), screen, Screen.ENDLESS).forEach(line -> screen.print("%s", line));
            return 0;
        }
        // If Postgres can't be reached from the beginning, the usual screen says so.
        try (var lookout = QueuePoller.begin(queue, breakers);
             var terminal = new RawTerminal(spec.commandLine().getOut(), TENTHS_BETWEEN_PAGES)) {
            do {
                Size size = terminal.size();
                terminal.draw(page(lookout.latest(), size), size);
            } while (terminal.key() != 'q');
            return 0;
        } catch (IOException e) {
            throw new IllegalStateException("the terminal can't be used (" + e.getMessage() + "); try --json", e);
        }
    }

    private List<String> page(QueuePoller.Seen seen, Size size) {
        boolean colours = spec.commandLine().getColorScheme().ansi().enabled();
        var screen = new Screen(spec.commandLine().getOut(), size.getColumns(), colours);
        String footer = seen.trouble().map(why -> why + " q quits").orElse("q quits; looks every %d s".formatted(seen.rest().toSeconds()));
        return Stream
                .of(WatchPage.lines(seen.watch(), seen.breakers(), screen, size.getRows() - 2),
                        List.of("", Cells.cut(footer, size.getColumns())))
                .flatMap(List::stream).toList();
    }
}
