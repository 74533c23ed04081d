// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * Captures that the PSP later reported as failed, and those that it captured again. Messages arrive in any order, so the PSP's own time
 * decides which one is newer. If the times are equal or missing, the later message is newer.
 */
public final class CaptureFailures {

    /** @param recapturedAt empty while the money is missing */
    public record Failure(String reason, Instant failedAt, Optional<Instant> recapturedAt) {}

    private CaptureFailures() {}

    private static final String FAILED = """
            INSERT INTO capture_failure AS known (operation_id, psp, psp_reference, reason, told_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (operation_id)
            DO UPDATE SET psp_reference = excluded.psp_reference, reason = excluded.reason,
                          failed_at = coalesce(known.failed_at, excluded.failed_at),
                          recaptured_at = CASE WHEN known.told_at > excluded.told_at THEN
                              CASE WHEN known.failed_at IS NULL THEN now() ELSE known.recaptured_at END END,
                          told_at = greatest(known.told_at, excluded.told_at)
            """;

    /**
     * Under the operation's lock.
     *
     * @param at by the PSP's clock
     */
    public static void failed(Connection connection, String operation, Capture capture, Optional<Instant> at, String reason)
            throws SQLException {
        Sql.update(connection, FAILED, operation, capture.psp(), capture.reference(), reason, at);
    }

    private static final String RECAPTURED = """
            UPDATE capture_failure SET recaptured_at = now(), told_at = greatest(told_at, ?::timestamptz)
             WHERE operation_id = ? AND failed_at IS NOT NULL AND recaptured_at IS NULL
               AND (told_at > ?::timestamptz) IS NOT TRUE
            """;

    /** For a failure that arrives later, although it is older. */
    private static final String CAPTURED = """
            INSERT INTO capture_failure AS known (operation_id, psp, psp_reference, failed_at, told_at) VALUES (?, ?, ?, NULL, ?)
            ON CONFLICT (operation_id) DO UPDATE SET told_at = greatest(known.told_at, excluded.told_at)
            """;

    /**
     * Under the operation's lock.
     *
     * @param at by the PSP's clock
     * @return false if no older failure was reported before
     */
    public static boolean recaptured(Connection connection, String operation, Capture capture, Optional<Instant> at) throws SQLException {
        if (Sql.update(connection, RECAPTURED, at, operation, at) == 1) {
            return true;
        }
        if (at.isPresent()) {
            Sql.update(connection, CAPTURED, operation, capture.psp(), capture.reference(), at);
        }
        return false;
    }

    private static final String FIND = "SELECT reason, failed_at, recaptured_at FROM capture_failure_of(?, ?) WHERE failed_at IS NOT NULL";

    public static Optional<Failure> find(Connection connection, String merchant, String operation) throws SQLException {
        return Sql.first(connection, FIND, row -> new Failure(row.getString(1), Sql.instant(row, 2),
                Optional.ofNullable(Sql.instant(row, 3))), merchant, operation);
    }
}
