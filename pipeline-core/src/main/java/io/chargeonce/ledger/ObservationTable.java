package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Everything a PSP ever told us about an attempt. Append-only. */
public final class ObservationTable {

    private ObservationTable() {}

    private static final String APPEND = """
            INSERT INTO psp_observation (psp_key, source, outcome, cause, detail, psp_reference)
            SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
            """;

    /** Also what comes too late to decide anything. */
    public static void append(Connection connection, List<Told> heard) throws SQLException {
        try (var statement = connection.prepareStatement(APPEND)) {
            Columns.of(heard, statement)
                    .with("text", told -> told.key().value())
                    .with("text", Told::source)
                    .with("text", Told::outcome)
                    .with("text", Told::cause)
                    .with("text", Told::detail)
                    .with("text", Told::pspReference);
            statement.executeUpdate();
        }
    }
}
