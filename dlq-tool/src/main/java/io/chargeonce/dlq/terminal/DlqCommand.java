// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.dlq.terminal.cancel.CancelCommand;
import io.chargeonce.dlq.terminal.hold.ForceCommand;
import io.chargeonce.dlq.terminal.hold.HoldsCommand;
import io.chargeonce.dlq.terminal.hold.PauseCommand;
import io.chargeonce.dlq.terminal.hold.ResumeCommand;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.dlq.terminal.refused.RefusedCommand;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import io.chargeonce.vault.Vault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The dead-letter queue's commands. The queue is opened once the command line is known to be right, and closed when the
 * command ends; only here a Postgres that can't be reached becomes a message.
 */
@Command(name = "dlq", description = "The dead-letter queue: look at it, merge it back, or purge it.", usageHelpAutoWidth = true,
        exitCodeList = {"1:the answer is no: an id is not there, a set has changed, a run was stopped, something does not agree",
            "130:stopped by Ctrl-C; a merge or a purge stops between two batches and prints how to go on",
            "141:the reader of the output is gone, or the disk is full"},
        footer = {"  What is in the queue, and what would a merge do with it?",
            "    chargeonce dlq summary",
            "  Everything about the oldest dead letter:",
            "    chargeonce dlq list --sort oldest --limit 1",
            "    chargeonce dlq why ID"})
public final class DlqCommand implements Runnable, QueueOpener {

    private static final int UNREACHABLE = 3;
    /** As a shell reports a process that a closed pipe ended: 128 plus SIGPIPE. */
    private static final int READER_IS_GONE = 141;

    private static final String COMPLETION = "completion";

    private final Supplier<DeadLetterQueue> open;
    private final Supplier<KafkaConnection> kafka;
    private final Supplier<AuditKeys> keys;

    @Spec
    CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    /**
     * @param open  opens the queue's database; what it throws about settings goes to the caller of the command line.
     *              The command closes the database.
     * @param kafka used only by the commands that read topics, and before a record goes back to another system's topic
     */
    public DlqCommand(Supplier<DeadLetterQueue> open, Supplier<KafkaConnection> kafka) {
        this(open, kafka, () -> AuditKeys.NONE);
    }

    /** @param keys used only by the command that checks the seals of the audit log */
    public DlqCommand(Supplier<DeadLetterQueue> open, Supplier<KafkaConnection> kafka, Supplier<AuditKeys> keys) {
        this.open = open;
        this.kafka = kafka;
        this.keys = keys;
    }

    private static Map<String, Supplier<Object>> commands() {
        var commands = new LinkedHashMap<String, Supplier<Object>>();
        commands.put("list", ListCommand::new);
        commands.put("summary", SummaryCommand::new);
        commands.put("show", ShowCommand::new);
        commands.put("why", WhyCommand::new);
        commands.put("waiting", WaitingCommand::new);
        commands.put("watch", WatchCommand::new);
        commands.put("holds", HoldsCommand::new);
        commands.put("pause", PauseCommand::new);
        commands.put("force", ForceCommand::new);
        commands.put("resume", ResumeCommand::new);
        commands.put("purge", PurgeCommand::new);
        commands.put("restore", RestoreCommand::new);
        commands.put("cancel", CancelCommand::new);
        commands.put("merge", MergeCommand::new);
        commands.put("runs", RunsCommand::new);
        commands.put("approve", ApproveCommand::new);
        commands.put("settle", SettleCommand::new);
        commands.put("edit", EditCommand::new);
        commands.put("erase", EraseCommand::new);
        commands.put("audit", AuditCommand::new);
        commands.put("export", ExportCommand::new);
        commands.put("import", ImportCommand::new);
        commands.put("verify", VerifyCommand::new);
        commands.put("refused", RefusedCommand::new);
        commands.put(COMPLETION, CompletionCommand::new);
        return commands;
    }

    /**
     * A command line of its own; or add the command to another one as a subcommand.
     *
     * @param arguments what it will be called with; if a subcommand is named here, only that one is created
     */
    public CommandLine commandLine(String... arguments) {
        var line = new CommandLine(this);
        Map<String, Supplier<Object>> known = commands();
        Optional<String> named = completes(arguments) ? Optional.empty()
                : Arrays.stream(arguments).limit(2).filter(known::containsKey).findFirst();
        known.forEach((name, command) -> {
            if (named.isEmpty() || named.get().equals(name)) {
                line.addSubcommand(name, command.get());
            }
        });
        Manual.complete(line);
        return line.setParameterExceptionHandler(new ShortUsageErrors());
    }

    /** Whether all subcommands are needed, for completion. */
    public static boolean completes(String... arguments) {
        return Arrays.stream(arguments).limit(2).anyMatch(COMPLETION::equals);
    }

    KafkaConnection kafka() {
        return kafka.get();
    }

    AuditKeys keys() {
        return keys.get();
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: " + String.join(", ", spec.subcommands().keySet()));
    }

    /** The same for a command with a filter, which is refused if it names something that does not exist. */
    int with(CommandSpec command, DeadLetterFilter filter, Action action) {
        return with(command, queue -> {
            var problems = new InputProblems();
            KnownValues.missing(queue, filter.cause(), filter.psp(), filter.merchant(), filter.traits().tier(), filter.traits().run())
                    .forEach(problems::unknown);
            ByName.missing(command, queue, filter.traits().names()).forEach(problems::unknown);
            return problems.any() ? problems.print(command) : action.on(queue);
        });
    }

    @Override
    public int with(CommandSpec command, Action action) {
        DeadLetterQueue queue = open.get();
        try (Database database = queue.database()) {
            return action.on(queue.over(database).beside(kafka));
        } catch (DatabaseUnavailable e) {
            return report(command, UNREACHABLE,
                    "Postgres can't be reached (" + innermost(e) + "): check CHARGEONCE_DATABASE_URL and try again");
        } catch (Vault.NoKey e) {
            return report(command, InputProblems.EXIT, e.getMessage() + "; nothing was changed");
        } catch (KafkaException e) {
            return report(command, UNREACHABLE, "Kafka can't be reached (" + Printable.of(String.valueOf(e.getMessage()))
                    + "): check CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS and try again");
        } catch (DatabaseRefused e) {
            return refused(command, innermost(e), e.getCause() instanceof SQLException cause ? String.valueOf(cause.getSQLState()) : "");
        } catch (Screen.Gone e) {
            // A reader that closes its pipe needs no message. An incomplete file needs one.
            return Files.isRegularFile(Path.of("/dev/stdout"))
                    ? report(command, READER_IS_GONE, "the output is not complete: is the disk full?")
                    : READER_IS_GONE;
        }
    }

    /** Codes: PostgreSQL, appendix A. */
    private static int refused(CommandSpec command, String said, String sqlState) {
        return switch (sqlState) {
            case "42P01" -> report(command, UNREACHABLE, "The database has no dead-letter queue yet: run chargeonce migrate first");
            case DatabaseRefused.FOUR_EYES ->
                report(command, InputProblems.EXIT, said.replaceFirst("^ERROR: ", "") + "; nothing was changed by this step");
            case "42501" -> report(command, InputProblems.EXIT,
                    "this role may not do that (" + said + "); to look needs chargeonce_dlq_reader, to change "
                            + "chargeonce_dlq_operator, to look without the masks chargeonce_dlq_unmask, to erase chargeonce_eraser in "
                            + "CHARGEONCE_DATABASE_USER; nothing was changed by this step");
            case "28000", "28P01" -> report(command, InputProblems.EXIT, "Postgres does not let this role in (" + said
                    + "): check CHARGEONCE_DATABASE_USER and CHARGEONCE_DATABASE_PASSWORD_FILE");
            case "3D000" -> report(command, InputProblems.EXIT, said + ": check CHARGEONCE_DATABASE_URL");
            default -> report(command, UNREACHABLE, said + ": nothing of this batch was changed, try again");
        };
    }

    private static int report(CommandSpec command, int exit, String message) {
        Screen.tell(command, message);
        return exit;
    }

    /** What the driver says, without the messages of the connection pool and of the socket. */
    private static String innermost(Throwable e) {
        String said = String.valueOf(e.getMessage());
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            said = cause instanceof SQLException && cause.getMessage() != null ? cause.getMessage() : said;
        }
        return Printable.of(said.lines().findFirst().orElse("no reason given"));
    }
}
