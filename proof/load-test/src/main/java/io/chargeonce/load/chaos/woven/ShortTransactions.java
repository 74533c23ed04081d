// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Called from where a connection to Postgres is set up: while a file exists, the server ends a transaction that stands still
 * within a campaign's time, and not only after half a minute. Any thread.
 */
public final class ShortTransactions {

    private static final Path FILE = Path.of(System.getProperty("chargeonce.short-transactions", "none"));

    private ShortTransactions() {}

    /** @param statements what a connection begins with */
    public static String inPlaceOf(String statements) {
        return Files.exists(FILE) ? statements.replaceAll("(idle_in_transaction_session_timeout) = \\d+", "$1 = 2000") : statements;
    }
}
