// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Everything a PSP ever said about an attempt. Append-only. A first answer that settles its attempt at once is stored in the attempt's row
 * instead; the view {@code psp_answer} has both.
 */
public final class ObservationTable {

    private ObservationTable() {}

    private static final String APPEND = """
            INSERT INTO psp_observation (psp_key, source, outcome, cause, detail, psp_reference)
            SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
            """;

    /** Also observations that come too late to decide anything. */
    public static void append(Connection connection, List<Observation> observations) throws SQLException {
        Sql.update(connection, APPEND, Columns.of(observations)
                .with("text", observation -> observation.key().value())
                .with("text", Observation::source)
                .with("text", Observation::outcome)
                .with("text", Observation::cause)
                .with("text", Observation::detail)
                .with("text", Observation::pspReference));
    }

    private static final String STRONGEST = """
            SELECT outcome, cause, detail, psp_reference FROM psp_answer
             WHERE psp_key = ? AND outcome <> 'unknown'
             ORDER BY outcome = 'charged' DESC, observed_at LIMIT 1
            """;

    /** The observation that decided the attempt, if any did: a capture outranks everything. */
    public static Optional<Outcome> strongest(Connection connection, PspKey key) throws SQLException {
        return Sql.first(connection, STRONGEST, ObservationTable::outcome, key.value());
    }

    private static final String LAST_DECLINE = """
            SELECT outcome, psp_observation.cause, detail, psp_observation.psp_reference, attempt.psp
              FROM payment_attempt AS attempt JOIN psp_observation USING (psp_key)
             WHERE attempt.payment_id = ? AND attempt.operation_id = ? AND attempt.failed_definite AND attempt.generation = ?
               AND outcome = 'declined'
             ORDER BY sequence DESC, observed_at DESC LIMIT 1
            """;

    /** The last decline of an operation that is presented again, since it was accepted or merged. For other operations it runs no query. */
    public static Optional<Outcome.Declined> lastDecline(Connection connection, Operation operation) throws SQLException {
        return lastDecline(connection, operation, ObservationTable::outcome);
    }

    /** The same, if another PSP than that of the last attempt has declined it. */
    public static Optional<Outcome.Declined> declineElsewhere(Connection connection, Operation operation) throws SQLException {
        return lastDecline(connection, operation, row -> operation.psp().equals(Optional.of(row.getString("psp"))) ? null : outcome(row));
    }

    private static Optional<Outcome.Declined> lastDecline(Connection connection, Operation operation, Sql.Row<Outcome> read)
            throws SQLException {
        if (operation.represented() == 0) {
            return Optional.empty();
        }
        return Sql.first(connection, LAST_DECLINE, row -> Optional.ofNullable(read.read(row)), operation.accepted().payment().value(),
                operation.id(), operation.generation()).flatMap(found -> found).filter(Outcome.Declined.class::isInstance)
                .map(Outcome.Declined.class::cast);
    }

    /** From a row with the columns outcome, cause, detail and psp_reference. */
    public static Outcome outcome(ResultSet row) throws SQLException {
        Optional<String> reference = Optional.ofNullable(row.getString("psp_reference"));
        return switch (row.getString("outcome")) {
            case "charged" -> new Outcome.Charged(reference.orElseThrow());
            case "declined" -> new Outcome.Declined(row.getString("cause"), row.getString("detail"), reference);
            case "failed" -> new Outcome.Failed(FailureCause.fromTag(row.getString("cause")).orElseThrow(), row.getString("detail"));
            default -> throw new IllegalStateException("Bug! An observation decided nothing: " + row.getString("outcome"));
        };
    }
}
