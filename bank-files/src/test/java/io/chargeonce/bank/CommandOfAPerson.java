// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import io.chargeonce.bank.terminal.BankCommand;
import io.chargeonce.database.Database;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs {@code chargeonce bank …} with the login of a person on call. */
final class CommandOfAPerson {

    private final BankWorld world;

    CommandOfAPerson(BankWorld world) {
        this.world = world;
    }

    /** Returns the exit code and what was printed. */
    String run(String... arguments) {
        var text = new StringWriter();
        var out = new PrintWriter(text);
        int exit = new BankCommand(() -> new BankCommand.Opened(
                Database.open(world.as("chargeonce_dlq_operator"), "chargeonce_dlq_operator", "", 1), world.seals)).commandLine()
                .setOut(out).setErr(out).execute(arguments);
        return exit + ": " + text.toString().strip();
    }
}
