// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.bank.terminal.BankCommand;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.ingest.terminal.MerchantCommand;
import io.chargeonce.notifications.receipt.terminal.ReceiptCommand;
import io.chargeonce.reconcile.terminal.ReconcileCommand;
import io.chargeonce.reconcile.terminal.ReconcileSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.runtime.tls.ModernTls;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code ./chargeonce} and its commands. Each command is a class, and only the one that is called is created: {@code dlq list} must not
 * wait for the options of the demo.
 */
@Command(name = "chargeonce", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A Kafka payment pipeline: every accepted payment is charged exactly once, and none is lost.",
        footer = {"", "In the sources, and in the archive chargeonce-sandbox:",
            "  chargeonce demo          begin here",
            "In the sources:",
            "  chargeonce bench list    the same work with other libraries"})
public final class Main implements Runnable {

    static final String HELP = "help";

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] typed) {
        // What is formatted here is read by Postgres, Kafka, PSPs and banks. No language of the machine may change a digit or a letter.
        Locale.setDefault(Locale.ROOT);
        ModernTls.everywhere();
        String[] arguments = withHelpAsOption(typed);
        Logs.choose(arguments);
        int code = commandLine(arguments).execute(arguments);
        System.out.flush();
        ExitCode.returned(code);
        if (code == 0 && arguments.length > 0 && arguments[0].equals("dlq")) {
            // An orderly exit writes a line to the log, and opening the log takes a tenth of a second. Nothing is left to close.
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
        commands.put("console", () -> new CommandLine(new ConsoleCommand()));
        commands.put("webhook-sender", () -> new CommandLine(new WebhooksCommand()));
        commands.put("receipt-sender", () -> new CommandLine(new ReceiptsCommand()));
        commands.put("bank-files", () -> new CommandLine(new BankFilesCommand()));
        commands.put("migrate", () -> new CommandLine(new MigrateCommand()));
        commands.put("data-key", () -> new CommandLine(new DataKeyCommand()));
        commands.put("dlq",
                () -> new DlqCommand(Environment::openDeadLetterQueue, Environment::kafka, Environment::auditKeys).commandLine(arguments));
        commands.put("merchant", () -> new MerchantCommand(() -> Environment.openDeadLetterQueue().database()).commandLine());
        commands.put("receipt", () -> new ReceiptCommand(() -> Environment.openDeadLetterQueue().database()).commandLine());
        commands.put("webhook", () -> new WebhookCommand(Environment::openWebhooks).commandLine());
        commands.put("bank", () -> new BankCommand(Environment::openBank).commandLine().addSubcommand(new ReconcileCommand(
                () -> Environment.read(ReconcileSettings.ALL, ReconcileSettings::from), InstantSource.system())));
        return commands;
    }

    /** With the command that these arguments call. With all commands if they call none. */
    public static CommandLine commandLine(String... arguments) {
        Optional<String> called = called(arguments);
        Map<String, Supplier<CommandLine>> commands = shipped(arguments);
        List<CommandProvider> providers = called.filter(commands::containsKey).isPresent() ? List.of() : providers();
        providers.forEach(provider -> commands.putAll(provider.commands()));
        var line = new CommandLine(new Main());
        called.filter(commands::containsKey).map(List::of).orElseGet(() -> List.copyOf(commands.keySet()))
                .forEach(name -> line.addSubcommand(name, commands.get(name).get()));
        version(line);
        line.setExecutionStrategy(new WithExtraJars());
        line.setExecutionExceptionHandler(new OneLineErrors(providers));
        line.setParameterExceptionHandler(new UsageErrors());
        return line;
    }

    /** A completion of a command line may complete any command. */
    private static Optional<String> called(String... arguments) {
        return DlqCommand.completes(arguments) ? Optional.empty() : Stream.of(arguments).findFirst();
    }

    private static List<CommandProvider> providers() {
        return ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get).toList();
    }

    /** They are opened before anything that a command does, and not for its help. */
    private static final class WithExtraJars extends CommandLine.RunLast {

        @Override
        protected List<Object> handle(CommandLine.ParseResult parsed) {
            try {
                ExtraJars.open(System.getenv());
            } catch (SettingsProblems problems) {
                throw new CommandLine.ExecutionException(parsed.asCommandLineList().getLast(), problems.getMessage(), problems);
            }
            return super.handle(parsed);
        }
    }

    private static void version(CommandLine command) {
        command.getCommandSpec().version(Build.CURRENT.toString());
        command.getSubcommands().values().forEach(Main::version);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), spec.subcommands().containsKey("demo")
                ? "name a command; '%s demo' shows the whole pipeline at work".formatted(Launcher.command()) : "name a command");
    }
}
