// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.words;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.purge.Purge;
import io.chargeonce.dlq.purge.Restore;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;

/** What a command does to dead letters. */
public sealed interface Change {

    String NOTHING_QUEUED = "The dead-letter queue holds nothing of this kind.";
    String NOTHING_PURGED = "Nothing of this kind was purged in the last 30 days.";

    /** The command's name: merge, purge or restore. */
    String verb();

    /** @param everything whether the command named no filter */
    default String nothing(boolean everything) {
        return everything ? "The dead-letter queue is empty" : "The dead-letter queue holds nothing of this kind";
    }

    /** The message for an id that is not in the place that the command reads. */
    default String missing(String id) {
        return "not in the queue: " + id;
    }

    String inWords(MoneyStatus standing);

    boolean refuses(MoneyStatus standing);

    /** A change that goes through its selection at once. A merge is more careful, and has commands of its own. */
    sealed interface Plain extends Change {

        FourEyes.Kind kind();

        /** Also payments whose money may have been taken. */
        default boolean evenUnresolved() {
            return false;
        }

        Plan plan(DeadLetterQueue queue, DeadLetterFilter filter);

        Sweep.Result run(DeadLetterQueue queue, Plan plan, AuditContext by, Sweep sweep);
    }

    /** @param evenStopped whether it names what a person stopped on purpose */
    record Merging(boolean evenStopped) implements Change {

        public static Merging of(DeadLetterFilter filter) {
            return new Merging(filter.namesStopped());
        }

        @Override
        public String verb() {
            return "merge";
        }

        @Override
        public String inWords(MoneyStatus standing) {
            return Words.plannedByMerge(standing == MoneyStatus.STOPPED && evenStopped ? MoneyStatus.RECHARGEABLE : standing);
        }

        @Override
        public boolean refuses(MoneyStatus standing) {
            return standing == MoneyStatus.POISON || standing == MoneyStatus.NEEDS_A_PERSON
                    || standing == MoneyStatus.STOPPED && !evenStopped;
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
        public Sweep.Result run(DeadLetterQueue queue, Plan plan, AuditContext by, Sweep sweep) {
            return new Purge(queue, evenUnresolved).run(plan, by, sweep);
        }

        @Override
        public String verb() {
            return "purge";
        }

        @Override
        public String inWords(MoneyStatus standing) {
            return refuses(standing) || !evenUnresolved ? Words.byPurge(standing) : "purge";
        }

        @Override
        public boolean refuses(MoneyStatus standing) {
            return standing == MoneyStatus.CHARGED || standing == MoneyStatus.UNRESOLVED && !evenUnresolved;
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
        public Sweep.Result run(DeadLetterQueue queue, Plan plan, AuditContext by, Sweep sweep) {
            return new Restore(queue).run(plan, by, sweep);
        }

        @Override
        public String verb() {
            return "restore";
        }

        @Override
        public String nothing(boolean everything) {
            return (everything ? "Nothing" : "Nothing of this kind") + " was purged in the last 30 days";
        }

        @Override
        public String missing(String id) {
            return "not purged in the last 30 days: " + id;
        }

        @Override
        public String inWords(MoneyStatus standing) {
            return "back into the queue";
        }

        @Override
        public boolean refuses(MoneyStatus standing) {
            return false;
        }
    }
}
