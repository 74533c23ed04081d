// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.receipt.ReceiptBook;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The commands about receipts. Postgres is opened once the command line is known to be right. */
@Command(name = "receipt", description = "Shows the receipts that were mailed to customers, and mails them again.",
        usageHelpAutoWidth = true, mixinStandardHelpOptions = true, subcommands = {ListReceipts.class, ResendReceipt.class},
        footer = {"", "Example: what could not be mailed, and one of them again",
            "  chargeonce receipt list --failed", "  chargeonce receipt resend rcp_5f0c7e9d1a2b3c4d5e6f708192a3b4c5 --yes"})
public final class ReceiptCommand implements Runnable {

    private final Supplier<Database> open;

    @Spec
    CommandSpec spec;

    /** @param open opens Postgres; the command closes it. What it throws reaches the caller of the command line */
    public ReceiptCommand(Supplier<Database> open) {
        this.open = open;
    }

    public CommandLine commandLine() {
        return new CommandLine(this);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: list or resend");
    }

    int with(ToIntFunction<ReceiptBook> action) {
        try (Database database = open.get()) {
            // Kept beside the name that counts, which is the login at Postgres.
            return action.applyAsInt(new ReceiptBook(database, String.valueOf(System.getProperty("user.name"))));
        }
    }
}
