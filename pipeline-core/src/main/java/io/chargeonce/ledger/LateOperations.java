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
    private static final int MOST_PER_COMMIT = 5_000;

    private LateOperations() {}

    private static final String ACCEPTANCES = "SELECT list_late_acceptances(? * interval '1 millisecond', ?)";

    /** From then on they are in the list of work. Returns how many they were. */
    public static int listAcceptances(Database database, Duration patience) {
        return list(database, ACCEPTANCES, patience);
    }

    private static final String CLAIMS = "SELECT list_late_claims(? * interval '1 millisecond', ?)";

    /** From then on they are in the list of questions, due when their leases run out. Returns how many they were. */
    public static int listClaims(Database database, Duration slow) {
        return list(database, CLAIMS, slow);
    }

    private static final Duration STILL = Duration.ofHours(1);
    /** 80 MB, read in order: once a minute, of 50 million payments in eight hours. */
    private static final int PAGES_PER_SEARCH = 10_000;
    private static final String MISSED = "SELECT list_what_was_missed(? * interval '1 millisecond', ?)";

    /** Searches the next part of all operations for what stands still outside of its list. Returns how many they were. */
    public static int listMissed(Database database) {
        int missed = database.withConnection(connection -> list(connection, MISSED, STILL, PAGES_PER_SEARCH));
        if (missed > 0) {
            LOG.warn("{} operations stood still and were in no list: their rows were written by hand, or restored. They go on now", missed);
        }
        return missed;
    }

    /** A look that Postgres refuses, for it took too long or met a lock, holds up nothing of what is listed already. */
    private static int list(Database database, String sql, Duration since) {
        int all = 0;
        int listed = 0;
        do {
            try {
                listed = database.withConnection(connection -> list(connection, sql, since, MOST_PER_COMMIT));
                all += listed;
            } catch (DatabaseRefused refused) {
                LOG.warn("Postgres refused to look for late operations. What is listed goes on; the next look tries again: {}",
                        refused.getMessage());
                return all;
            }
        } while (listed == MOST_PER_COMMIT);
        return all;
    }

    private static int list(Connection connection, String sql, Duration since, int most) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setLong(1, since.toMillis());
            statement.setInt(2, most);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
