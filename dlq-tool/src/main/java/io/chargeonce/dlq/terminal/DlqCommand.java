package io.chargeonce.dlq.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import java.sql.SQLException;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The dead-letter queue's commands. The queue is opened once the command line is known to be right, and closed when the
 * command ends; only here is it told that Postgres can't be reached.
 */
@Command(name = "dlq", description = "The dead-letter queue: look at it, purge it, merge it back.", usageHelpAutoWidth = true,
        subcommands = {ListCommand.class, SummaryCommand.class, ShowCommand.class, WhyCommand.class, PurgeCommand.class, RestoreCommand.class, MergeCommand.class, RunsCommand.class, AuditCommand.class, ExportCommand.class, ImportCommand.class, VerifyCommand.class, CompletionCommand.class},
        footer = {"", "Example: what is in there, and what would a merge do with it?", "  chargeonce dlq summary"})
public final class DlqCommand implements Runnable {

    interface Action {
        int on(DeadLetterQueue queue);
    }

    private static final int UNREACHABLE = 3;
    private static final String UNDEFINED_TABLE = "42P01";

    private final Supplier<DeadLetterQueue> open;

    @Spec
    CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    /**
     * @param open opens the queue's database; what it throws about settings goes to whoever executes the command line.
     *             The command closes the database.
     */
    public DlqCommand(Supplier<DeadLetterQueue> open) {
        this.open = open;
    }

    /** A command line of its own; or add the command to another one as a subcommand. */
    public CommandLine commandLine() {
        return new CommandLine(this).setParameterExceptionHandler(new ShortUsageErrors());
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: " + String.join(", ", spec.subcommands().keySet()));
    }

    int with(CommandSpec command, Action action) {
        DeadLetterQueue queue = open.get();
        try (Database database = queue.database()) {
            return action.on(new DeadLetterQueue(database, queue.topics()));
        } catch (DatabaseUnavailable e) {
            return unreachable(command, "Postgres can't be reached (" + innermost(e) + "): check CHARGEONCE_DATABASE_URL and try again");
        } catch (DatabaseRefused e) {
            boolean isEmpty = e.getCause() instanceof SQLException cause && UNDEFINED_TABLE.equals(cause.getSQLState());
            return unreachable(command, isEmpty ? "The database has no dead-letter queue yet: run chargeonce migrate first"
                    : innermost(e) + ": nothing of this batch was changed, try again");
        }
    }

    private static int unreachable(CommandSpec command, String message) {
        command.commandLine().getErr().println(command.qualifiedName(" ") + ": " + message);
        command.commandLine().getErr().flush();
        return UNREACHABLE;
    }

    /** What the driver says, without the pool's words around it and without the socket's below. */
    private static String innermost(Throwable e) {
        String said = String.valueOf(e.getMessage());
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            said = cause instanceof SQLException && cause.getMessage() != null ? cause.getMessage() : said;
        }
        return Printable.of(said.lines().findFirst().orElse("no reason given"));
    }
}
