// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The families of faults that a campaign draws from. */
public enum FaultKind {
    KILL, FREEZE, BROKER, POSTGRES, NETWORK, PSP, REBALANCE, REDELIVERY,
    /** The way to the broker: for all services, or for some. */
    KAFKA_LINK,
    /** The broker answers, and refuses: credentials, or records that are too large for a while. */
    KAFKA_REFUSES,
    /** A work topic that is missing, or deleted and made again; a merchant's topic that is made again when all of it is accepted. */
    TOPICS,
    /** Processes with other settings for a while: a PSP gone, other routes, the wrong account's key. */
    CONFIGURATION,
    /** A process stands still beyond its leases, its transactions and its payments' deadlines. */
    PAUSE,
    /** The services' wall clocks are hours off, and step. */
    CLOCK,
    /** People purge what is unresolved, and then the PSP tells; refunds of payments that are dead. */
    LATE_TRUTH,
    /** Customers dispute payments at their banks, and PSPs tell of it late, twice and in reverse. */
    DISPUTES,
    /** People pause PSPs, merchants and tiers, and force PSPs. */
    HOLD,
    /** Merchants' receivers of webhooks fail, are slow, hang, break off, redirect, forget, and answer 410 and 429. */
    RECEIVERS,
    /** The mail server of the receipts fails, refuses, hangs, greylists, forgets, and goes away in and after a message. */
    MAIL,
    /** The bank is hard to reach, breaks off, refuses, is late, rejects files, and says everything twice. Debits come with it. */
    BANK;

    /** Those that a campaign draws from unless it is told: the bank's debits would make the others rarer. */
    public static List<FaultKind> usual() {
        return Arrays.stream(values()).filter(kind -> kind != BANK).toList();
    }

    public static FaultKind fromTag(String tag) {
        return Arrays.stream(values()).filter(kind -> kind.tag().equals(tag)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "there are no faults '%s'; there are %s".formatted(tag, Arrays.stream(values()).map(FaultKind::tag).toList())));
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
