// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.ingest.terminal.MerchantCommand;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.ModernTls;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code ./chargeonce}: which commands there are. Each is a class of its own, and only the one that is called is made: a
 * person who waits for a list does not wait for the options of the demo to be made.
 */
@Command(name = "chargeonce", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A Kafka payment pipeline: every accepted payment is charged exactly once, and none is lost.",
        footer = {"", "Where the sources are:",
            "  ./chargeonce demo          begin here",
            "  ./chargeonce bench list    the same work with other libraries"})
public final class Main implements Runnable {

    static final String HELP = "help";

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] typed) {
        ModernTls.everywhere();
        String[] arguments = withHelpAsOption(typed);
        Logs.choose(arguments);
        int code = commandLine(arguments).execute(arguments);
        System.out.flush();
        if (code == 0 && arguments.length > 0 && arguments[0].equals("dlq")) {
            // An orderly exit is logged, and to open the log for that alone takes a tenth of a second. Nothing is left to be done.
            Runtime.getRuntime().halt(code);
        }
        System.exit(code);
    }

    /** {@code help dlq merge} is {@code dlq merge --help}. */
    private static String[] withHelpAsOption(String[] typed) {
        if (typed.length == 0 || !typed[0].equals(HELP)) {
            return typed;
        }
        return Stream.concat(Arrays.stream(typed).skip(1), Stream.of("--help")).toArray(String[]::new);
    }

    private static Map<String, Supplier<CommandLine>> shipped(String... arguments) {
        var commands = new LinkedHashMap<String, Supplier<CommandLine>>();
        commands.put("ingest", () -> new CommandLine(new IngestCommand()));
        commands.put("charge", () -> new CommandLine(new ChargeCommand()));
        commands.put("retry", () -> new CommandLine(new RetryCommand()));
        commands.put("migrate", () -> new CommandLine(new MigrateCommand()));
        commands.put("data-key", () -> new CommandLine(new DataKeyCommand()));
        commands.put("dlq",
                () -> new DlqCommand(Environment::openDeadLetterQueue, Environment::kafka, Environment::auditKeys).commandLine(arguments));
        commands.put("merchant", () -> new MerchantCommand(() -> Environment.openDeadLetterQueue().database()).commandLine());
        return commands;
    }

    /** With the command that these arguments call, or, where they name none of them, with all. */
    public static CommandLine commandLine(String... arguments) {
        var line = new CommandLine(new Main());
        Map<String, Supplier<CommandLine>> shipped = shipped(arguments);
        List<CommandProvider> providers = List.of();
        if (arguments.length > 0 && shipped.containsKey(arguments[0]) && !DlqCommand.completes(arguments)) {
            line.addSubcommand(arguments[0], shipped.get(arguments[0]).get());
        } else {
            providers = ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get).toList();
            Map<String, Supplier<CommandLine>> all = all(shipped, providers);
            if (arguments.length > 0 && all.containsKey(arguments[0]) && !DlqCommand.completes(arguments)) {
                line.addSubcommand(arguments[0], all.get(arguments[0]).get());
            } else {
                all.forEach((name, command) -> line.addSubcommand(name, command.get()));
            }
        }
        version(line);
        line.setExecutionExceptionHandler(new OneLineErrors(providers));
        line.setParameterExceptionHandler(new UsageErrors());
        return line;
    }

    private static Map<String, Supplier<CommandLine>> all(Map<String, Supplier<CommandLine>> shipped, List<CommandProvider> providers) {
        var all = new LinkedHashMap<>(shipped);
        providers.forEach(provider -> all.putAll(provider.commands()));
        return all;
    }

    private static void version(CommandLine command) {
        command.getCommandSpec().version(Build.CURRENT.toString());
        command.getSubcommands().values().forEach(Main::version);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), spec.subcommands().containsKey("demo")
                ? "name a command; './chargeonce demo' shows the whole pipeline at work" : "name a command");
    }
}
