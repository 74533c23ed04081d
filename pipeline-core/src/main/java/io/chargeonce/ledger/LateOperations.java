// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists operations that have not gone their usual way: accepted and not claimed, or claimed and not answered. No index of what
 * changes knows them, so that a payment which succeeds at once pays for none. Each look begins where the last one found the oldest that was
 * still under way. What no look and no list knows is found too, in hours: part by part the whole table is searched.
 */
public final class LateOperations {

    private static final Logger LOG = LoggerFactory.getLogger(LateOperations.class);
    /** Operations that one call walks over, and lists at most. */
    private static final int STRETCH = 5_000;

    private LateOperations() {}

    /** What is accepted and was not claimed within this time: from then on it is in the list of work. Returns how many they were. */
    public static int listAcceptances(Database database, Duration patience) {
        return listLate(database, "acceptances", patience);
    }

    /** What is claimed and was not answered within this time: a question that is due when its lease runs out. Returns how many they were. */
    public static int listClaims(Database database, Duration slow) {
        return listLate(database, "claims", slow);
    }

    private record Stretch(int late, boolean more, boolean restored) {}

    /** A look that Postgres refuses, for it took too long or met a lock, holds up nothing of what is listed already. */
    private static int listLate(Database database, String subject, Duration since) {
        int late = 0;
        boolean more = true;
        while (more) {
            try {
                Stretch stretch = database.withConnection(connection -> stretch(connection, subject, since));
                late += stretch.late;
                more = stretch.more;
                if (stretch.restored) {
                    LOG.warn("This database was restored, or is a copy. What was under way in it is found in hours, by a search; "
                            + "to have it found at once, say as its owner: SELECT chargeonce.list_what_was_missed('0', 10000000)");
                }
            } catch (DatabaseRefused refused) {
                LOG.warn("Postgres refused to look for late operations. What is listed goes on; the next look tries again: {}",
                        refused.getMessage());
                return late;
            }
        }
        return late;
    }

    private static final String LATE = "SELECT late, more, restored FROM list_late(?, ? * interval '1 millisecond', ?)";

    private static Stretch stretch(Connection connection, String subject, Duration since) throws SQLException {
        try (var statement = connection.prepareStatement(LATE)) {
            statement.setString(1, subject);
            statement.setLong(2, since.toMillis());
            statement.setInt(3, STRETCH);
            try (var row = statement.executeQuery()) {
                row.next();
                return new Stretch(row.getInt(1), row.getBoolean(2), row.getBoolean(3));
            }
        }
    }

    private static final Duration STILL = Duration.ofHours(1);
    /** 80 MB, read in order: once a minute, of 50 million payments in eight hours. */
    private static final int PAGES_PER_SEARCH = 10_000;
    private static final String MISSED = "SELECT list_what_was_missed(? * interval '1 millisecond', ?)";

    /** Searches the next part of all operations for what stands still outside of its list. Returns how many they were. */
    public static int listMissed(Database database) {
        int missed = database.withConnection(LateOperations::missed);
        if (missed > 0) {
            LOG.warn("{} operations stood still and were in no list: their rows were written by hand, or restored. They go on now", missed);
        }
        return missed;
    }

    private static int missed(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(MISSED)) {
            statement.setLong(1, STILL.toMillis());
            statement.setInt(2, PAGES_PER_SEARCH);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
