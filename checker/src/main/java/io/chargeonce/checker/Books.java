package io.chargeonce.checker;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Everything read, by payment; filled source by source, then compared. For one thread. */
final class Books {

    /** A dead letter's row. */
    record Letter(boolean live, int revision, boolean ofOperation, boolean pending) {}

    record AttemptOf(String operation, int sequence) {}

    /** Money of one merchant in one currency as three sources tell it. */
    static final class Money {
        long captured;
        long succeeded;
        long announced;
    }

    final Map<String, Payment> payments = new HashMap<>();
    final Map<String, Letter> letters = new HashMap<>();
    /** Why a record is poison, by its place: {@code topic/partition/offset}. */
    final Map<String, String> poison = new HashMap<>();
    /** Which refund or reversal the attempt with this key belongs to. */
    final Map<String, String> givingBack = new HashMap<>();
    /** By key: the attempts that did not succeed, for a decline is one of these. */
    final Map<String, AttemptOf> attempts = new HashMap<>();
    /** By {@code merchant currency}. */
    final Map<String, Money> money = new TreeMap<>();
    final Findings findings = new Findings();

    /** When the rows were read, by the database's clock; microseconds since 1970. */
    long rowsReadAt;
    /** Rows in the outbox, without those that the broker refused. */
    long staged;
    /** Records that no consumer has finished yet and that still have work to do. */
    long unconsumed;
    /** Records above the committed offsets, whether or not there is work left in them. */
    long lag;
    /** By {@code operation/step}: how many more records there are than one. */
    final Map<String, Long> repeated = new HashMap<>();
    long captures;

    Payment payment(String id) {
        return payments.computeIfAbsent(id, Payment::new);
    }

    Money money(Payment payment) {
        return money.computeIfAbsent(payment.merchant + " " + payment.currency, unseen -> new Money());
    }

    long count(State state) {
        return payments.values().stream().filter(payment -> payment.charge && payment.state == state).count();
    }

    long accepted() {
        return payments.values().stream().filter(payment -> payment.charge).count();
    }

    long inFlight() {
        return payments.values().stream().filter(payment -> payment.charge && !payment.state.isAtRest()).count();
    }

    /** Refunds and reversals too. */
    boolean isAtRest() {
        return staged == 0 && unconsumed == 0
                && payments.values().stream().noneMatch(payment -> payment.hasRow() && !payment.state.isAtRest());
    }
}
