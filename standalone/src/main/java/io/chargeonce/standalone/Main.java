package io.chargeonce.standalone;

import io.chargeonce.conformance.ConformanceCommand;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.dlq.terminal.ShortUsageErrors;
import io.chargeonce.ingest.terminal.MerchantCommand;
import io.chargeonce.load.LoadCommand;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.ModernTls;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code ./chargeonce}: which commands there are. Each is a class of its own, and only the one that is called is made: a
 * person who waits for a list must not wait for the options of the demo.
 */
@Command(name = "chargeonce", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A Kafka payment pipeline: every accepted payment is charged exactly once, and none is lost.",
        footer = {"", "Begin with:  chargeonce demo"})
public final class Main implements Runnable {

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] arguments) {
        ModernTls.everywhere();
        Logs.choose(arguments);
        int code = commandLine(arguments).execute(arguments);
        System.out.flush();
        if (code == 0 && arguments.length > 0 && arguments[0].equals("dlq")) {
            // An orderly exit is logged, and a log that nobody needs takes a tenth of a second to open. There is nothing left to be done.
            Runtime.getRuntime().halt(code);
        }
        System.exit(code);
    }

    private static Map<String, Supplier<CommandLine>> commands(String... arguments) {
        var commands = new LinkedHashMap<String, Supplier<CommandLine>>();
        commands.put("demo", () -> new CommandLine(new DemoCommand()));
        commands.put("up", () -> new CommandLine(new UpCommand()));
        commands.put("ingest", () -> new CommandLine(new IngestCommand()));
        commands.put("charge", () -> new CommandLine(new ChargeCommand()));
        commands.put("retry", () -> new CommandLine(new RetryCommand()));
        commands.put("migrate", () -> new CommandLine(new MigrateCommand()));
        commands.put("data-key", () -> new CommandLine(new DataKeyCommand()));
        commands.put("dlq", () -> new DlqCommand(Environment::openDeadLetterQueue, Environment::kafka, Environment::auditKeys).commandLine(arguments));
        commands.put("merchant", () -> new MerchantCommand(() -> Environment.openDeadLetterQueue().database()).commandLine());
        commands.put("load", () -> new CommandLine(new LoadCommand()));
        commands.put("conformance", () -> new CommandLine(new ConformanceCommand()));
        commands.put("sandbox", () -> new CommandLine(new SandboxCommand()));
        return commands;
    }

    /** With the command that these arguments call, or, where they name none of them, with all. */
    static CommandLine commandLine(String... arguments) {
        var line = new CommandLine(new Main());
        Map<String, Supplier<CommandLine>> known = commands(arguments);
        if (arguments.length > 0 && known.containsKey(arguments[0]) && !DlqCommand.completes(arguments)) {
            line.addSubcommand(arguments[0], known.get(arguments[0]).get());
        } else {
            known.forEach((name, command) -> line.addSubcommand(name, command.get()));
            ServiceLoader.load(CommandProvider.class).forEach(more -> line.addSubcommand(more.commandLine()));
        }
        version(line);
        line.setExecutionExceptionHandler(new OneLineErrors());
        line.setParameterExceptionHandler(new ShortUsageErrors());
        return line;
    }

    private static void version(CommandLine command) {
        command.getCommandSpec().version(Build.CURRENT.toString());
        command.getSubcommands().values().forEach(Main::version);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do");
    }
}
