// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The states of an operation, and the only table of legal moves. */
public enum OperationState {
    /** Staged for the main topic. */
    ACCEPTED,
    /** Claimed: an attempt is under way under a lease. */
    PROCESSING,
    /** Waits in a tier for its next counted attempt. */
    SCHEDULED,
    /** Waits in a tier until a PSP is well. */
    PARKED,
    /** Its attempt may have moved money; the resolver asks. */
    UNRESOLVED,
    SUCCEEDED,
    /** A refund or a reversal that had succeeded, and then failed at its PSP: the money is with us again. */
    FAILED,
    DECLINED,
    /** In the dead-letter queue. */
    DEAD,
    /**
     * Taken out of the dead-letter queue by a person with a reason; it may be restored until the retention ends. If its attempt may have
     * moved money, the resolver goes on asking.
     */
    PURGED,
    /** Its merchant or a person canceled it, and no attempt took money. What a PSP captures later is given back. */
    CANCELED;

    public Set<OperationState> next() {
        return switch (this) {
            // Straight to the end only by a late success, or for a refund of a payment that was never captured.
            case ACCEPTED, SCHEDULED, PARKED -> EnumSet.of(PROCESSING, PARKED, SCHEDULED, DEAD, SUCCEEDED, DECLINED, CANCELED);
            case PROCESSING -> EnumSet.of(SUCCEEDED, DECLINED, SCHEDULED, PARKED, UNRESOLVED, DEAD, CANCELED);
            case UNRESOLVED -> EnumSet.of(UNRESOLVED, SUCCEEDED, DECLINED, SCHEDULED, PARKED, DEAD, PURGED, CANCELED);
            case DEAD -> EnumSet.of(ACCEPTED, SUCCEEDED, UNRESOLVED, PURGED, CANCELED);
            // The PSP's late answer outranks ours: the money has moved.
            case DECLINED -> EnumSet.of(SUCCEEDED);
            // An attempt that moved the money after all brings it back. If another attempt is open, its outcome must be known first.
            case PURGED -> EnumSet.of(SUCCEEDED, DEAD, UNRESOLVED, CANCELED);
            // Only what was given back may fail after its success.
            case SUCCEEDED -> EnumSet.of(FAILED);
            case FAILED, CANCELED -> EnumSet.noneOf(OperationState.class);
        };
    }

    public OperationState to(OperationState next) {
        if (!next().contains(next)) {
            throw new IllegalStateException("Bug! An operation never goes from %s to %s".formatted(tag(), next.tag()));
        }
        return next;
    }

    /** As stored and published. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static OperationState fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
