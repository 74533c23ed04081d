// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/** What a run does with its dead letters. All else about runs is the same for every kind. */
public enum RunKind {
    /** Back to the front of the pipeline. What becomes of them there is watched. */
    MERGE,
    /** Out of the queue. */
    PURGE,
    /** What was purged, back into the queue. */
    RESTORE;

    /** What is done with one locked batch, in the caller's transaction. */
    interface Moves {
        /** @return what became of each, by dead letter */
        Map<String, MoveResult> on(Connection connection, LockedBatch batch, AuditContext by) throws SQLException;
    }

    Moves moves(DeadLetterQueue queue, RunTerms terms) {
        return switch (this) {
            case MERGE -> (connection, batch, by) -> {
                var moves = new MergeMoves(batch, queue, by, terms);
                moves.write(connection);
                return moves.results();
            };
            case PURGE -> new Purge(queue, terms)::purge;
            case RESTORE -> new Restore(queue)::restore;
        };
    }

    /** Where its dead letters are before. */
    public Selection.From from() {
        return this == RESTORE ? Selection.From.THE_PURGED : Selection.From.THE_QUEUE;
    }

    public Plan plan(DeadLetterQueue queue, DeadLetterFilter filter) {
        return Plan.of(queue, filter, from());
    }

    /** Whether the change is not final at once: what becomes of the moved ones decides if the run goes on. */
    public boolean isWatched() {
        return this == MERGE;
    }

    public boolean needsReason() {
        return this != MERGE;
    }

    /** Whether a dead letter that stands so is moved, and not refused. */
    public boolean takes(MoneyStatus standing, RunTerms terms) {
        return switch (this) {
            case MERGE -> switch (standing) {
                case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON -> terms.chargesAgain(standing);
                case CHARGED, UNRESOLVED, MENDED -> true;
                case POISON -> false;
            };
            case PURGE -> switch (standing) {
                case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON, POISON, MENDED -> true;
                case UNRESOLVED -> terms.evenUnresolved();
                // The money is known to be there: after a merge the resolver settles it.
                case CHARGED -> false;
            };
            case RESTORE -> true;
        };
    }

    /** Whether it may be of the canary: of a merge only what is charged again tells whether that goes well. */
    boolean tries(MoneyStatus standing, RunTerms terms) {
        return isWatched() ? terms.chargesAgain(standing) : takes(standing, terms);
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such kind */
    public static RunKind fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
