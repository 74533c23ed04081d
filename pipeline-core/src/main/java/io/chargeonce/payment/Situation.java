// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * What {@link Decision} knows besides the outcome.
 *
 * @param represented      how often it was presented again after a decline
 * @param purged           whether a person has purged it from the dead-letter queue
 * @param canceling        whether a cancel was requested
 * @param pspWellForOthers whether the PSP was well for other payments while this one failed there
 * @param capturedAs       the PSP's reference, if this attempt is known to have captured, from any source
 * @param failedAlready    whether this attempt is known to have failed, from another source
 * @param anotherCaptured  whether an earlier attempt is known to have captured
 * @param canGoOn          whether the caller can make the next attempt at once
 */
public record Situation(OperationKind kind, Progress progress, int represented, boolean purged, boolean canceling,
        boolean pspWellForOthers, Optional<String> capturedAs, boolean failedAlready, boolean anotherCaptured, boolean canGoOn) {

    /** A bug of ours stopped the operation before an attempt was made. */
    public static Situation beforeAnAttempt(OperationKind kind, Progress progress, int represented) {
        return new Situation(kind, progress, represented, false, false, true, Optional.empty(), false, false, false);
    }
}
