// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.game;

import java.util.Locale;

/** The one list of what can go wrong in a universe. Each universe draws from it which ones it knows at all. */
public enum Fault {
    KILL(0.7, "a process dies, anywhere or at an exact place"),
    FREEZE(0.5, "a process stands still for seconds"),
    LONG_PAUSE(0.15, "a process stands still beyond its lease, 31 to 70 s"),
    IDLE_TRANSACTION(0.15, "a process stands still within a transaction until Postgres ends it (25P03)"),
    HANG(0.6, "a thread hangs while what came later is finished"),
    CONNECTION(0.8, "a connection to Postgres breaks at a COMMIT, before or after it; some come late"),
    ACKNOWLEDGEMENT(0.8, "Kafka does not take a record, does not say so, or takes it late"),
    OUTAGE(0.4, "Kafka, Postgres or a PSP is away"),
    LOST_TAIL(0.3, "the last records of a topic are lost"),
    REBALANCE(0.6, "a group is rebalanced, or its offsets go back"),
    COPY(0.5, "records come again, some with a forged amount"),
    CLOCK_OFF(0.5, "a process's clock is up to an hour wrong"),
    CLOCK_STEP(0.15, "a process's clock steps by hours, both ways"),
    POSTGRES_CLOCK(0.15, "Postgres's clock is hours off, and steps forward"),
    BROKER_CLOCK(0.15, "the broker's clock is hours off, and steps both ways"),
    PRODUCER_THROWS(0.12, "Kafka refuses the producers' credentials for a while, so that a send throws"),
    PRODUCER_WEDGED(0.1, "a producer never comes back from a flush, until its process is killed for it"),
    PRODUCER_FATAL(0.12, "a producer is in a fatal state until it is replaced"),
    RECORD_REFUSED(0.12, "a topic refuses records as too large, or by its rights, until a person mends it"),
    MISSING_TOPIC(0.12, "a topic is missing for a while; a send to it blocks"),
    RECREATED_TOPIC(0.12, "a topic is deleted and made again under the same name"),
    BROKEN_PARTITION(0.12, "a partition throws when it is read, for a corrupt batch or missing rights"),
    PSP_CALL(0.8, "an exchange with a PSP is not sent, lost, late, cut, endless, or broken before or after the charge"),
    PSP_UNWELL(0.2, "a PSP answers 503 to everything for a while"),
    PSP_THROTTLES(0.2, "a PSP answers 429 with Retry-After for a while"),
    WRONG_ACCOUNT(0.12, "a PSP answers status queries with 404 or everything with 401 for a while, as to another account's key"),
    ABSENT_PSP(0.12, "processes run without one of the PSPs for a while, and with other routes than their neighbours"),
    WEBHOOK(0.4, "webhooks come late, twice and out of order, and hints not at all"),
    SOFT_DECLINE(0.3, "cards without money are presented again days later"),
    INTAKE(0.4, "payments come by a merchant's topic too"),
    RECREATED_INTAKE(0.15, "a merchant's topic is deleted, when all of it is accepted, and made again"),
    HARSH_OPERATOR(0.2, "a person purges what is unresolved too"),
    HUNG_MERCHANT(0.03, "a PSP never answers calls for one merchant, and does for others; theirs must go on"),
    CARD_DATA(0.12, "card numbers come in bodies, intake records, poison and the words of PSPs"),
    DATA_KEY(0.08, "the data key is changed while the services seal with it"),
    PSP_KEY(0.08, "the keys of the PSPs are changed, and the old ones are refused soon after"),
    TOKEN(0.12, "a merchant's token is changed and revoked, or expires, and a thief goes on using the old one, in an open batch too"),
    ERASURE(0.12, "personal data of payments are erased while they are under way"),
    THEFT(0.12, "who has stolen a service's login tries what that service may not do"),
    HOLD(0.3, "people pause, force and resume PSPs, merchants and tiers"),
    RECEIVER(0.12, "receivers fail, are slow, hang, break off, redirect, forget, move, lead inside, and have wrong certificates"),
    MAIL_SERVER(0.12, "the mail server of the receipts fails, refuses, hangs, forgets, greylists, and goes away in and after a message"),
    BANK(0.15, "debits go to a bank, whose server and files fail, and a person has a file sent once more"),
    STALE_SEARCH(0.2, "what Stripe's search shows stands still for up to a minute, while its look-ups and lists know everything"),
    OLD_LETTER(0.1, "a payment is dead for longer than the retention, is merged and charged, and its key is used again"),
    OLD_KEY(0.15, "Stripe has an intent of a payment that is long forgotten, under the key of one that is new"),
    STOP(0.2, "people stop what waits in the tiers, and then merge all dead letters"),
    HASTY_FINDING(0.12, "a person gives an invented reference for a charge while Adyen fails for the moment"),
    FAILED_REFUND(0.2, "a refund that was paid fails after all"),
    CANCEL(0.3, "merchants and people cancel a part of the payments, at any moment"),
    DISPUTE(0.2, "customers dispute payments at their banks, which take money back, return it, and end in any way"),
    LOST_CLAIM(0.12, "a restore loses the last claims, and from then on the PSPs are queried before each attempt"),
    OPT_OUT(0.5, "a merchant wants no card presented again any more, while some of its payments wait for that");

    /** How likely a universe knows it. */
    public final double share;
    public final String sentence;

    Fault(double share, String sentence) {
        this.share = share;
        this.sentence = sentence;
    }

    /** As on the command line. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
