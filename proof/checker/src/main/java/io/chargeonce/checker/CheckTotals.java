// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.finding.Findings;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The totals over all shares of a check. For one thread. */
final class CheckTotals {

    /** Money of one merchant in one currency as three sources tell it. */
    static final class Money {
        long captured;
        long succeeded;
        long announced;
        /** Succeeded so long ago that the topic may have forgotten the outcome. */
        long forgotten;
        /** Whether an outcome still waits in the outbox. */
        boolean announcing;
    }

    final Findings findings = new Findings();
    /** By {@code merchant currency}. */
    final Map<String, Money> money = new TreeMap<>();
    /** By {@code operation/step}: how many more records there are than one. */
    final Map<String, Long> repeated = new HashMap<>();
    /** By {@code operation/step}: records of one step that were staged at different times. What is only sent again keeps its time. */
    final Set<String> stagedAgain = new TreeSet<>();
    /** Rows in the outbox, without those that the broker refused. */
    long staged;
    /** Records that no consumer has finished yet and that still have work to do. */
    long unconsumed;
    /** Records above the committed offsets, whether or not there is work left in them. */
    long lag;
    long captures;
    long operations;

    private final Map<State, Long> charges = new EnumMap<>(State.class);
    private long named;
    private long moving;
    private long waitingForDead;

    /** Counts one share's operations; their books may be forgotten afterwards. */
    void count(ShareContents contents) {
        for (CheckedPayment payment : contents.payments.values()) {
            operations += payment.hasRow() ? 1 : 0;
            moving += payment.isMoving() ? 1 : 0;
            waitingForDead += payment.waitsForDead ? 1 : 0;
            if (payment.charge) {
                named++;
                charges.merge(payment.state, 1L, Long::sum);
            }
        }
    }

    Money money(CheckedPayment payment) {
        return money.computeIfAbsent(payment.merchant + " " + payment.currency, unseen -> new Money());
    }

    long count(State state) {
        return charges.getOrDefault(state, 0L);
    }

    long accepted() {
        return named;
    }

    long inFlight() {
        return charges.entrySet().stream().filter(entry -> !entry.getKey().isAtRest()).mapToLong(Map.Entry::getValue).sum();
    }

    /** Refunds and reversals too. */
    boolean isAtRest() {
        return staged == 0 && unconsumed == 0 && moving == 0;
    }

    /** What only a person can set going, for people. */
    Optional<String> waiting() {
        return waitingForDead == 0 ? Optional.empty()
                : Optional.of("%,d refunds wait for a payment that is dead or purged: merge it, or wait until its purge is final"
                        .formatted(waitingForDead));
    }

    /** What keeps these books from being at rest, for people. */
    String open() {
        return "%,d payments, refunds and reversals under way, %,d rows in the outbox, %,d records that no consumer has finished"
                .formatted(moving, staged, unconsumed);
    }
}
