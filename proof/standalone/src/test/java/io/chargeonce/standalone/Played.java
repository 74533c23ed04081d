// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.CommandProvider;
import io.chargeonce.app.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** Which commands were played, of all that people may give: picocli's own tree of what ships says what these are. */
final class Played {

    /** They run until they are stopped, or are no person's. */
    private static final Set<String> SERVICES =
            Set.of("ingest", "charge", "retry", "console", "webhook-sender", "receipt-sender", "bank-files");
    /** They make what a pipeline needs before it runs, and {@link LocalPipeline} has called them. */
    private static final Set<String> BEFORE = Set.of("migrate", "data-key");

    private final Set<String> played = new TreeSet<>();

    /** What it printed. It must end with this code. */
    String play(int exit, Supplier<CommandLine> command, String... arguments) {
        var said = new StringWriter();
        CommandLine line = command.get();
        line.setOut(new PrintWriter(said, true)).setErr(new PrintWriter(said, true));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        int code = line.execute(arguments);
        assertThat(code).as(line.getCommandName() + " " + String.join(" ", arguments) + "\n" + said).isEqualTo(exit);
        CommandLine.ParseResult parsed = line.getParseResult();
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        played.add(parsed.commandSpec().qualifiedName(" "));
        return said.toString();
    }

    /** Those that no line has played. */
    List<String> missing() {
        Set<String> proofs = ServiceLoader.load(CommandProvider.class).stream()
                .flatMap(provider -> provider.get().commands().keySet().stream()).collect(Collectors.toSet());
        var missing = new ArrayList<String>();
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            if (!proofs.contains(name) && !SERVICES.contains(name) && !BEFORE.contains(name)) {
                collect(name, command, missing);
            }
        });
        missing.removeAll(played);
        return missing;
    }

    private static void collect(String name, CommandLine command, List<String> into) {
        if (command.getSubcommands().isEmpty() || command.getCommand() instanceof Callable<?>) {
            into.add(name);
        }
        // One command with other names is there several times.
        command.getSubcommands().values().stream().distinct().forEach(next -> collect(name + " " + next.getCommandName(), next, into));
    }
}
