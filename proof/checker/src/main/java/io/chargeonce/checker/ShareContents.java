// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.finding.Findings;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Everything read about one share of the operations; filled source by source, then compared. For one thread. */
final class ShareContents {

    /** A dead letter's row. */
    record Letter(boolean live, int revision, boolean ofOperation, boolean pending) {}

    record AttemptOf(String operation, int sequence) {}

    final Share share;
    final CheckTotals totals;
    final Findings findings;
    final Map<String, CheckedPayment> payments = new HashMap<>();
    final Map<String, Letter> letters = new HashMap<>();
    /** Why a record is poison, by its place: {@code topic/partition/offset}. */
    final Map<String, String> poison = new HashMap<>();
    /** Which refund or reversal the attempt with this key belongs to; of all shares, for a movement may tell no more. */
    final Map<String, String> givingBack = new HashMap<>();
    /** The ids of all returns and reversals, of all shares: there are few. */
    final Set<String> returnsAndReversals = new HashSet<>();
    /** What gave money back and then failed, of all shares. */
    final Set<String> failedAfterSuccess = new HashSet<>();
    /** By key: the attempts that did not succeed, for a decline is one of these. */
    final Map<String, AttemptOf> attempts = new HashMap<>();

    /** By {@code operation/step}: when the first record of it that was read says that it was staged. */
    final Map<String, Long> stagedAt = new HashMap<>();

    /** When the rows were read, by the database's clock; microseconds since 1970. */
    long rowsReadAt;
    /** What ended before may have an outcome that the topic has forgotten by now; microseconds since 1970. */
    long outcomesSince = Long.MIN_VALUE;

    ShareContents(Share share, CheckTotals totals) {
        this.share = share;
        this.totals = totals;
        this.findings = totals.findings;
    }

    /** Only for ids of this share. */
    CheckedPayment payment(String id) {
        return payments.computeIfAbsent(id, CheckedPayment::new);
    }

    CheckTotals.Money money(CheckedPayment payment) {
        return totals.money(payment);
    }
}
