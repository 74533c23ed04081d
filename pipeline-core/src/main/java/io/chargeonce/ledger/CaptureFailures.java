package io.chargeonce.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Captures of which the PSP said later that they failed, and those of them that it took again. */
public final class CaptureFailures {

    /** @param recapturedAt empty while the money has not come */
    public record Failure(String reason, Instant failedAt, Optional<Instant> recapturedAt) {}

    private CaptureFailures() {}

    private static final String FAILED = """
            INSERT INTO capture_failure (operation_id, psp, psp_reference, reason) VALUES (?, ?, ?, ?)
            ON CONFLICT (operation_id)
            DO UPDATE SET psp_reference = excluded.psp_reference, reason = excluded.reason, recaptured_at = NULL
            """;

    /** Under the operation's lock. */
    public static void failed(Connection connection, String operation, Capture capture, String reason) throws SQLException {
        try (var statement = connection.prepareStatement(FAILED)) {
            statement.setString(1, operation);
            statement.setString(2, capture.psp());
            statement.setString(3, capture.reference());
            statement.setString(4, reason);
            statement.executeUpdate();
        }
    }

    private static final String RECAPTURED = """
            UPDATE capture_failure SET recaptured_at = now() WHERE operation_id = ? AND recaptured_at IS NULL
            """;

    /** Under the operation's lock. @return false if no failure was ever told */
    public static boolean recaptured(Connection connection, String operation) throws SQLException {
        try (var statement = connection.prepareStatement(RECAPTURED)) {
            statement.setString(1, operation);
            return statement.executeUpdate() == 1;
        }
    }

    private static final String FIND = "SELECT reason, failed_at, recaptured_at FROM capture_failure WHERE operation_id = ?";

    public static Optional<Failure> find(Connection connection, String operation) throws SQLException {
        try (var statement = connection.prepareStatement(FIND)) {
            statement.setString(1, operation);
            try (var row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Failure(row.getString(1), row.getObject(2, OffsetDateTime.class).toInstant(),
                                Optional.ofNullable(row.getObject(3, OffsetDateTime.class)).map(OffsetDateTime::toInstant)))
                        : Optional.empty();
            }
        }
    }
}
