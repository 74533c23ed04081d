// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** Events that must never be silent: each is audited with its payment, logged, and counted under its own name. */
public enum Incident {
    /** Two attempts took the money, or one took it twice; the surplus is being given back. */
    CAPTURED_TWICE,
    /** Two attempts gave the money back. */
    GIVEN_BACK_TWICE,
    /** More money goes back than was captured: by a declined refund that was paid all the same, or by a refund and a dispute. */
    REFUNDED_TOO_MUCH,
    /** The PSP says that a paid refund failed after all. */
    REFUND_FAILED_LATE,
    /** A purged operation's money moved all the same: the published outcome of the purge is no longer true. */
    SUCCEEDED_AFTER_PURGE,
    /** An operation was published as declined, and its money moved all the same. */
    SUCCEEDED_AFTER_DECLINE,
    /** A PSP captured money for a canceled payment; it is being given back. */
    CAPTURED_AFTER_CANCEL,
    /** A PSP contradicts the person who settled an attempt by hand. */
    SETTLED_AGAINST_EVIDENCE,
    /** The PSP says that captured money never arrived. */
    CAPTURE_FAILED,
    /** A cancellation, a refund that a person made at the PSP, or unknown news of a dispute: the PSP took money back, or may. */
    MONEY_TAKEN_BACK,
    /** The routes lead a payment to a PSP that does not take such payments. */
    REFUSED_BY_PSP;

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public void count(MeterRegistry meters) {
        meters.counter("chargeonce.incidents", "what", tag()).increment();
    }

    /** An alert can only detect a counter's growth if the counter existed before. */
    public static void register(MeterRegistry meters) {
        for (Incident incident : values()) {
            meters.counter("chargeonce.incidents", "what", incident.tag());
        }
    }
}
