// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;

/**
 * Checks that nothing is left over in a pipeline that is well again: no payment under way, no lag, no open transaction, no lock waited
 * for.
 */
final class Healed {

    private final CheckTotals totals;

    Healed(CheckTotals totals) {
        this.totals = totals;
    }

    /**
     * Ours is the only one that reads here for long; the pipeline's own last for milliseconds. A session that is idle has no
     * transaction: while it takes note of another session's DDL, Postgres shows one that began with the session's last statement.
     */
    private static final String OPEN_TRANSACTIONS = """
            SELECT pid, application_name, state, extract(epoch FROM clock_timestamp() - xact_start) AS age, left(query, 100) AS query
              FROM pg_stat_activity
             WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'
               AND xact_start < clock_timestamp() - interval '5 seconds'
            """;

    private static final String PREPARED = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()";

    /** A row's or a table's lock that a session waits for in vain. */
    private static final String WAITED_FOR = """
            SELECT waiting.pid, locktype, mode, coalesce(relation::regclass::text, '') AS relation
              FROM pg_locks AS waiting JOIN pg_stat_activity USING (pid)
             WHERE NOT granted AND query_start < clock_timestamp() - interval '5 seconds' AND datname = current_database()
            """;

    void look(DatabaseRows rows) {
        rows.each(OPEN_TRANSACTIONS, row -> alive("a transaction of backend %d (%s) is open for %.1f s: %s".formatted(row.getInt("pid"),
                row.getString("state"), row.getDouble("age"), row.getString("query"))));
        rows.each(PREPARED, row -> alive("the prepared transaction %s is left over".formatted(row.getString("gid"))));
        rows.each(WAITED_FOR, row -> alive("backend %d waits in vain for a %s on %s %s".formatted(row.getInt("pid"),
                row.getString("mode"), row.getString("locktype"), row.getString("relation"))));
    }

    /** An operation of this share that is still under way. */
    static void operations(ShareContents contents) {
        contents.payments.values().stream().filter(CheckedPayment::isMoving)
                .forEach(payment -> contents.findings.add(Invariant.ALIVE_AFTER_HEAL, payment.id, "is still %s at step %d"
                        .formatted(payment.state.tag(), payment.step)));
    }

    void compare() {
        if (totals.staged > 0) {
            alive("%d records still wait in the outbox".formatted(totals.staged));
        }
        if (totals.lag > 0) {
            alive("%d records are above the offsets that their consumers have committed".formatted(totals.lag));
        }
    }

    private void alive(String sentence) {
        totals.findings.addGeneral(Invariant.ALIVE_AFTER_HEAL, sentence);
    }
}
