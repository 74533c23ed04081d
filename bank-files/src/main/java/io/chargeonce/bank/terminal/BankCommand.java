// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.terminal.Cells;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import io.chargeonce.text.Reason;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands about banks. Postgres is opened once the command line is known to be right. */
@Command(name = "bank", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = "Shows the files for banks and from them, manages mandates, and compares what was booked with the rows.",
        subcommands = {Batches.class, ShowBatch.class, Resend.class, Unmatched.class, Close.class, Release.class, MandateCommand.class},
        footer = {"", "Example: what is at the bank, and one file", "  chargeonce bank batches", "  chargeonce bank show 7"})
public final class BankCommand implements Runnable {

    static final int NO = 1;
    static final int USAGE = 2;
    /** Columns of a terminal, and of them the margin of what a line goes on with. */
    private static final int WIDTH = 80;
    private static final String MARGIN = " ".repeat(8);

    /**
     * What the commands need; the command closes the database.
     *
     * @param vault seals who pays by a mandate
     */
    public record Opened(Database database, Vault vault) {}

    private final Supplier<Opened> open;

    @Spec
    CommandSpec spec;

    /** @param open what it throws reaches the caller of the command line */
    public BankCommand(Supplier<Opened> open) {
        this.open = open;
    }

    public CommandLine commandLine() {
        return new CommandLine(this);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(),
                "say what to do: batches, show, resend, unmatched, close, release, reconcile or mandate");
    }

    int with(Function<Opened, Integer> action) {
        Opened opened = open.get();
        try (Database database = opened.database) {
            return action.apply(opened);
        }
    }

    /** The same for what needs a reason. */
    int with(CommandSpec command, String reason, Function<Opened, Integer> action) {
        return Reason.problem("--reason", reason).map(problem -> refuse(command, USAGE, problem)).orElseGet(() -> with(action));
    }

    /** Kept beside the name that counts, which is the login at Postgres. */
    static Optional<String> claim() {
        return Optional.ofNullable(System.getProperty("user.name"));
    }

    /** As wide as what is said. */
    static Screen screen(CommandSpec command) {
        return new Screen(command.commandLine().getOut(), WIDTH, Screen.of(command).colours());
    }

    static int say(CommandSpec command, String text) {
        // File names, references and errors are a bank's words.
        String line = Printable.of(text);
        while (Cells.of(line) > WIDTH) {
            // Its last character is an ellipsis, in place of what does not fit.
            String fits = Cells.cut(line, WIDTH + 1);
            int end = line.lastIndexOf(' ', fits.length() - 1);
            if (end <= MARGIN.length()) {
                end = fits.length() - 1;
            }
            print(command, line.substring(0, end).stripTrailing());
            line = MARGIN + line.substring(end).strip();
        }
        return print(command, line);
    }

    /** On the error stream, so that it stands beside JSON too. */
    static void sayIfCut(CommandSpec command, int shown, int most, String next) {
        if (shown >= most) {
            command.commandLine().getErr().println("Only the first %,d are shown. %s".formatted(most, next));
            command.commandLine().getErr().flush();
        }
    }

    /** On one line, for programs. */
    static int sayJson(CommandSpec command, Map<String, ?> fields) {
        return print(command, Printable.json(new String(PaymentJson.write(fields), StandardCharsets.UTF_8)));
    }

    private static int print(CommandSpec command, String line) {
        PrintWriter out = command.commandLine().getOut();
        out.println(line);
        out.flush();
        return 0;
    }

    static int refuse(CommandSpec command, int exit, String why) {
        Screen.tell(command, why);
        return exit;
    }
}
