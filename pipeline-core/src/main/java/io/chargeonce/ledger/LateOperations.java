// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists operations that left the usual path: accepted but not claimed in time, or claimed but not answered. No index covers the columns
 * that change, so a payment that succeeds at once pays for none. Each scan begins at the oldest transaction that was still open at the last
 * one. Operations that no scan and no list contains are found within hours: the whole table is searched, part by part.
 */
public final class LateOperations {

    private static final Logger LOG = LoggerFactory.getLogger(LateOperations.class);
    /** How many operations one call scans and lists at most. */
    private static final int STRETCH = 5_000;

    private LateOperations() {}

    /** Adds operations to the list of work that were accepted and not claimed within this time. Returns how many. */
    public static int listAcceptances(Database database, Duration patience) {
        return listLate(database, "acceptances", patience);
    }

    /**
     * Lists operations that were claimed and not answered within this time, with a status query that is due when the lease expires. Returns
     * how many.
     */
    public static int listClaims(Database database, Duration slow) {
        return listLate(database, "claims", slow);
    }

    private record Stretch(int late, boolean more, boolean restored) {}

    /** If Postgres refuses a scan, because it took too long or met a lock, listed operations still go on. */
    private static int listLate(Database database, String subject, Duration since) {
        int late = 0;
        boolean more = true;
        while (more) {
            try {
                Stretch stretch = database.withConnection(connection -> stretch(connection, subject, since));
                late += stretch.late;
                more = stretch.more;
                if (stretch.restored) {
                    LOG.warn("This database was restored, or is a copy. A search finds the operations under way in it within hours. "
                            + "To find them at once, run as its owner: SELECT chargeonce.list_what_was_missed('0', 10000000)");
                }
            } catch (DatabaseRefused refused) {
                LOG.warn("Postgres refused to scan for late operations. Listed operations go on, and the next scan tries again: {}",
                        refused.getMessage());
                return late;
            }
        }
        return late;
    }

    private static final String LATE = "SELECT late, more, restored FROM list_late(?, ? * interval '1 millisecond', ?)";

    private static Stretch stretch(Connection connection, String subject, Duration since) throws SQLException {
        return Sql.one(connection, LATE, row -> new Stretch(row.getInt(1), row.getBoolean(2), row.getBoolean(3)), subject,
                since.toMillis(), STRETCH);
    }

    private static final Duration STILL = Duration.ofHours(1);
    /** 80 MB, read sequentially, once a minute: 50 million payments take eight hours. */
    private static final int PAGES_PER_SEARCH = 10_000;
    private static final String MISSED = "SELECT list_what_was_missed(? * interval '1 millisecond', ?)";

    /** Searches the next part of the table for operations that stand still and are in no list. Returns how many there were. */
    public static int listMissed(Database database) {
        int missed = database.withConnection(
                connection -> Sql.one(connection, MISSED, row -> row.getInt(1), STILL.toMillis(), PAGES_PER_SEARCH));
        if (missed > 0) {
            LOG.warn("{} operations stood still and were in no list, because their rows were written by hand or restored. They go on now",
                    missed);
        }
        return missed;
    }
}
