// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Mandate;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.move.Fate;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.purge.Purge;
import io.chargeonce.dlq.purge.Restore;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Standing;
import io.chargeonce.dlq.terminal.screen.Words;

/** What a command does to dead letters. */
public sealed interface Change {

    String NOTHING_QUEUED = "The dead-letter queue holds nothing of this kind.";
    String NOTHING_PURGED = "Nothing of this kind was purged in the last 30 days.";

    String title();

    /** Where it looks, and that nothing is there. */
    default String nothing() {
        return NOTHING_QUEUED;
    }

    /** What is said of an id that is not where it looks. */
    default String missing(String id) {
        return "not in the queue: " + id;
    }

    String inWords(Standing standing);

    boolean refuses(Standing standing);

    /** A change that goes through its selection at once. A merge is more careful, and has commands of its own. */
    sealed interface Plain extends Change {

        FourEyes.Kind kind();

        /** Also payments whose money may have been taken. */
        default boolean evenUnresolved() {
            return false;
        }

        Plan plan(DeadLetterQueue queue, DeadLetterFilter filter);

        Sweep.Result run(DeadLetterQueue queue, Plan plan, Mandate mandate, Sweep sweep);
    }

    record Merging() implements Change {

        @Override
        public String title() {
            return "MERGE";
        }

        @Override
        public String inWords(Standing standing) {
            return Words.byMerge(standing);
        }

        @Override
        public boolean refuses(Standing standing) {
            return standing == Standing.POISON || standing == Standing.NEEDS_A_PERSON;
        }
    }

    record Purging(boolean evenUnresolved) implements Plain {

        @Override
        public FourEyes.Kind kind() {
            return FourEyes.Kind.PURGE;
        }

        @Override
        public Plan plan(DeadLetterQueue queue, DeadLetterFilter filter) {
            return Plan.of(queue, filter);
        }

        @Override
        public Sweep.Result run(DeadLetterQueue queue, Plan plan, Mandate mandate, Sweep sweep) {
            return new Purge(queue, evenUnresolved).run(plan, mandate, sweep);
        }

        @Override
        public String title() {
            return "PURGE";
        }

        @Override
        public String inWords(Standing standing) {
            return refuses(standing) || !evenUnresolved ? Words.byPurge(standing) : "purge";
        }

        @Override
        public boolean refuses(Standing standing) {
            return standing == Standing.CHARGED || standing == Standing.UNRESOLVED && !evenUnresolved;
        }
    }

    record Restoring() implements Plain {

        @Override
        public FourEyes.Kind kind() {
            return FourEyes.Kind.RESTORE;
        }

        @Override
        public Plan plan(DeadLetterQueue queue, DeadLetterFilter filter) {
            return Plan.ofPurged(queue, filter);
        }

        @Override
        public Sweep.Result run(DeadLetterQueue queue, Plan plan, Mandate mandate, Sweep sweep) {
            return new Restore(queue).run(plan, mandate, sweep);
        }

        @Override
        public String title() {
            return "RESTORE";
        }

        @Override
        public String nothing() {
            return NOTHING_PURGED;
        }

        @Override
        public String missing(String id) {
            return "not purged in the last 30 days: " + id;
        }

        @Override
        public String inWords(Standing standing) {
            return "back into the queue";
        }

        @Override
        public boolean refuses(Standing standing) {
            return false;
        }
    }

    /** Whether this fate is one that the command was called for. */
    static boolean moved(Fate fate) {
        return switch (fate) {
            case REENTERED, SETTLED, ASKED, RESENT, PURGED, RESTORED -> true;
            case REFUSED, CLOSED, GONE -> false;
        };
    }
}
