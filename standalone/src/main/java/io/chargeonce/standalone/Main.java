package io.chargeonce.standalone;

import io.chargeonce.conformance.ConformanceCommand;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.dlq.terminal.ShortUsageErrors;
import io.chargeonce.ingest.terminal.MerchantCommand;
import io.chargeonce.load.LoadCommand;
import io.chargeonce.runtime.Build;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./chargeonce}: which commands there are. Each is a class of its own. */
@Command(name = "chargeonce", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "A Kafka payment pipeline: every accepted payment is charged exactly once, and none is lost.",
        subcommands = {DemoCommand.class, UpCommand.class, IngestCommand.class, ChargeCommand.class, RetryCommand.class,
                MigrateCommand.class, LoadCommand.class, SandboxCommand.class},
        footer = {"", "Begin with:  chargeonce demo"})
public final class Main implements Runnable {

    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    private Main() {}

    public static void main(String[] arguments) {
        Logs.choose(arguments);
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        var commands = new CommandLine(new Main());
        commands.addSubcommand(new DlqCommand(Environment::openDeadLetterQueue).commandLine());
        commands.addSubcommand(new MerchantCommand(() -> Environment.openDeadLetterQueue().database()).commandLine());
        commands.addSubcommand(new ConformanceCommand());
        ServiceLoader.load(CommandProvider.class).forEach(more -> commands.addSubcommand(more.commandLine()));
        version(commands);
        commands.setExecutionExceptionHandler(new OneLineErrors());
        commands.setParameterExceptionHandler(new ShortUsageErrors());
        return commands;
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
