// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.move.TargetTopics;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a run does with its dead letters, or with what waits. All else about runs is the same for every kind. */
public enum RunKind {
    /** Back to the front of the pipeline. What becomes of them there is watched. */
    MERGE,
    /** Out of the queue. */
    PURGE,
    /** What was purged, back into the queue. */
    RESTORE,
    /** What waits is tried now. */
    RETRY_NOW,
    /** What waits, into the queue. */
    STOP;

    /** Locks one batch and does to it what this kind does, in the caller's transaction. */
    interface Moves {
        /** @return what became of each, by its id */
        Map<String, MoveResult> on(Connection connection, List<Target> batch, AuditContext by) throws SQLException;
    }

    /** @param targets where other systems' records of these batches go back to */
    Moves moves(DeadLetterQueue queue, RunTerms terms, TargetTopics targets) {
        return switch (this) {
            case MERGE -> (connection, batch, by) -> {
                var moves = new MergeMoves(LockedBatch.lock(connection, batch, "dead"), queue, by, terms, targets);
                moves.write(connection);
                return moves.results();
            };
            case PURGE ->
                (connection, batch, by) -> new Purge(queue, terms).purge(connection, LockedBatch.lock(connection, batch, "dead"), by);
            case RESTORE ->
                (connection, batch, by) -> new Restore(queue).restore(connection, LockedBatch.lock(connection, batch, "purged"), by);
            case RETRY_NOW, STOP -> new EndWait(queue, this)::end;
        };
    }

    /** Whether it is about what waits in a tier or for its presentation, and not about dead letters. */
    public boolean isOfWaits() {
        return this == RETRY_NOW || this == STOP;
    }

    /** Where its dead letters are before. */
    public Selection.From from() {
        return this == RESTORE ? Selection.From.THE_PURGED : Selection.From.THE_QUEUE;
    }

    public Plan plan(DeadLetterQueue queue, DeadLetterFilter filter) {
        return Plan.of(queue, filter, from());
    }

    /** Why nobody may begin it: each topic that other systems' records would go to must have been shown. */
    public Optional<String> refusal(Plan plan) {
        return this != MERGE || plan.namesEachTarget() ? Optional.empty()
                : Optional.of(("other systems' records would go to more than %d topics, which is more than a plan can show: merge a part "
                        + "of them, such as one import by its --run, or purge them; nothing was changed").formatted(Plan.MOST_TARGETS));
    }

    /** Whether the change is not final at once: what becomes of the moved ones decides if the run goes on. */
    public boolean isWatched() {
        return this == MERGE;
    }

    public boolean needsReason() {
        return this != MERGE && this != RETRY_NOW;
    }

    /** Whether a dead letter that stands so is moved, and not refused. */
    public boolean takes(MoneyStatus standing, RunTerms terms) {
        return switch (this) {
            case MERGE -> switch (standing) {
                case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON -> terms.chargesAgain(standing);
                case CHARGED, UNRESOLVED, MENDED, FOREIGN -> true;
                case POISON, NO_TARGET -> false;
            };
            case PURGE -> switch (standing) {
                case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON, POISON, MENDED, FOREIGN, NO_TARGET -> true;
                case UNRESOLVED -> terms.evenUnresolved();
                // The money is known to be there: after a merge the resolver settles it.
                case CHARGED -> false;
            };
            case RESTORE, RETRY_NOW, STOP -> true;
        };
    }

    /** Whether it may be of the canary: of a merge only what is charged again tells whether that goes well. */
    boolean tries(MoneyStatus standing, RunTerms terms) {
        return isWatched() ? terms.chargesAgain(standing) : takes(standing, terms);
    }

    /** Whether it may be of the canary of a merge that charges nothing: a person looks there, where the records went, how these fared. */
    boolean triesElsewhere(MoneyStatus standing) {
        return isWatched() && standing == MoneyStatus.FOREIGN;
    }

    /** The command that begins such a run and goes on with it. */
    public String command() {
        return isOfWaits() ? "waiting" : tag();
    }

    public String words() {
        return tag().replace('_', ' ');
    }

    public String done() {
        return switch (this) {
            case MERGE -> "merged";
            case PURGE -> "purged";
            case RESTORE -> "restored";
            case RETRY_NOW -> "tried now";
            case STOP -> "stopped";
        };
    }

    /** What its items are. */
    public String noun() {
        return isOfWaits() ? "payment" : "dead letter";
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such kind */
    public static RunKind fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
