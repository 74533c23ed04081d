// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.cap.ConnectionCap;
import io.chargeonce.text.Printable;
import io.chargeonce.vault.Vault;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what a request threw into a problem. A refusal of the database is told in plain words. */
public final class Errors {

    private static final Logger LOG = LoggerFactory.getLogger(Errors.class);

    private Errors() {}

    public static ConsoleProblem problem(RuntimeException e) {
        return switch (e) {
            case Refusal refusal -> refusal.problem();
            case DatabaseUnavailable away -> {
                LOG.warn("A request was answered with 503: {}", away.getMessage());
                yield ConnectionCap.isReached(away) ? ConsoleProblems.allConnectionsInUse() : ConsoleProblems.unavailable();
            }
            case DatabaseRefused refused -> refused(refused);
            case Vault.NoKey noKey -> ConsoleProblem.of(409, "no-key", "No data key", noKey.getMessage() + ".",
                    "Set CHARGEONCE_DATA_KEY_FILE for the console, or use the command line where the key is.");
            // A malformed or broken request: the web server answers it, or closes its connection.
            case RequestException clients -> throw clients;
            case CloseConnectionException gone -> throw gone;
            default -> {
                LOG.error("Bug! A request ran into an exception and was answered with 500", e);
                yield ConsoleProblems.internal();
            }
        };
    }

    /** Codes: PostgreSQL, appendix A. */
    private static ConsoleProblem refused(DatabaseRefused e) {
        if (e.isByFourEyes()) {
            return ConsoleProblem.of(403, "four-eyes", "Another person decides", sentence(said(e)),
                    "Have another person look at it and approve it.");
        }
        if (e.isPassing()) {
            return ConsoleProblem.of(503, "busy", "Busy", "Postgres was busy with the same rows: %s.".formatted(said(e)),
                    "Try again. Nothing of this batch was changed.").with("Retry-After", "1");
        }
        if (e.isAboutTheLogin()) {
            return ConsoleProblems.noSession();
        }
        return switch (e.sqlState()) {
            case "42501" -> ConsoleProblem.of(403, "not-allowed", "Not allowed", "Your login may not do that: %s.".formatted(said(e)),
                    "To look needs chargeonce_dlq_reader, to change chargeonce_dlq_operator, to look without the masks "
                            + "chargeonce_dlq_unmask. Nothing was changed.");
            case "42P01" -> ConsoleProblem.of(503, "no-schema", "No schema", "The database has no dead-letter queue yet.",
                    "Run chargeonce migrate first.");
            default -> {
                if (e.isAboutTheRow()) {
                    yield ConsoleProblems.wrong("Postgres does not take this value: %s.".formatted(said(e)));
                }
                LOG.error("Bug! Postgres refused a statement of the console, which was answered with 500", e);
                yield ConsoleProblems.internal();
            }
        };
    }

    /** What Postgres said, in one line. */
    public static String said(DatabaseRefused e) {
        String said = e.getCause() instanceof SQLException cause ? String.valueOf(cause.getMessage()) : String.valueOf(e.getMessage());
        return Printable.of(said.lines().findFirst().orElse("no reason given").replaceFirst("^ERROR: ", ""));
    }

    private static String sentence(String said) {
        return said.isEmpty() ? said : Character.toUpperCase(said.charAt(0)) + said.substring(1) + ".";
    }
}
