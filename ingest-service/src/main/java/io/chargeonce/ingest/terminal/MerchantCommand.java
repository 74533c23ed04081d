// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.database.Roles;
import io.chargeonce.ingest.merchants.MerchantTable;
import io.chargeonce.terminal.Screen;
import java.io.PrintWriter;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The commands about merchants. Postgres is opened once the command line is known to be right. */
@Command(name = "merchant", description = "Manages the merchants that may send payments.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        subcommands = {AddMerchant.class, SetMerchant.class, ListMerchants.class, TokenCommand.class},
        footer = {"", "Example: a new merchant and its token", "  chargeonce merchant add acme",
            "  chargeonce merchant token new acme"})
public final class MerchantCommand implements Runnable {

    static final int NO = 1;
    static final int USAGE = 2;

    private final Supplier<Database> open;

    @Spec
    CommandSpec spec;

    /** @param open what it throws reaches the caller of the command line; the command closes the database */
    public MerchantCommand(Supplier<Database> open) {
        this.open = open;
    }

    /** A command line of its own; or add the command to another one as a subcommand. */
    public CommandLine commandLine() {
        return new CommandLine(this);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: add, set, list or token");
    }

    int with(ToIntFunction<Database> action) {
        try (Database database = open.get()) {
            return action.applyAsInt(database);
        }
    }

    /** The same for a change. A shared login gets a warning: the audit log then names no person. */
    int change(CommandSpec command, ToIntFunction<Database> action) {
        return with(database -> {
            if (MerchantTable.login(database).equals(Roles.MERCHANT_ADMIN)) {
                refuse(command, 0,
                        "you act as the shared role %s, so the audit log names that role and no person; ".formatted(Roles.MERCHANT_ADMIN)
                                + "chargeonce migrate --merchant-admin NAME makes a login of your own");
            }
            return action.applyAsInt(database);
        });
    }

    /** Kept beside the name that counts, which is the login at Postgres. */
    static String claim() {
        return String.valueOf(System.getProperty("user.name"));
    }

    static int say(CommandSpec command, String line) {
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
