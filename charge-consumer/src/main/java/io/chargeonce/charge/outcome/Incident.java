// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** What must never be silent: each is audited with its payment, logged, and counted under a name of its own. */
public enum Incident {
    /** Two attempts took the money, or one took it twice; what is too much is being given back. */
    CAPTURED_TWICE,
    /** Two attempts gave the money back. */
    GIVEN_BACK_TWICE,
    /** More goes back than was captured: a refund that was declined has gone back all the same. */
    REFUNDED_TOO_MUCH,
    /** The PSP says that what had gone back has not. */
    REFUND_FAILED_LATE,
    /** It was purged, and its money moved all the same: what was told of the purge is no longer so. */
    SUCCEEDED_AFTER_PURGE,
    /** It was told as declined, and its money moved all the same. */
    SUCCEEDED_AFTER_DECLINE,
    /** A PSP says something else than the person who settled an attempt by hand. */
    SETTLED_AGAINST_EVIDENCE,
    /** The PSP says that money which it had taken never came. */
    CAPTURE_FAILED,
    /** The routes lead a payment to a PSP that does not do such payments. */
    REFUSED_BY_PSP;

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public void count(MeterRegistry meters) {
        meters.counter("chargeonce.incidents", "what", tag()).increment();
    }

    /** An alert can only tell that a number has grown if it was there before. */
    public static void register(MeterRegistry meters) {
        for (Incident incident : values()) {
            meters.counter("chargeonce.incidents", "what", incident.tag());
        }
    }
}
