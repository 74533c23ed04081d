// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * What {@link Decision} knows besides the outcome.
 *
 * @param represented      how often a decline of it has been presented again
 * @param purged           whether a person has taken it out of the dead-letter queue
 * @param pspWellForOthers whether the PSP was well for other payments while this one failed there
 * @param capturedAs       the PSP's reference if this attempt is known to have captured, by whatever way that was told
 * @param failedAlready    whether this attempt is known to have failed, told by another way
 * @param anotherCaptured  whether an earlier attempt is known to have captured
 * @param canGoOn          whether who called the PSP can make the next attempt at once
 */
public record Situation(OperationKind kind, Progress progress, int represented, boolean purged, boolean pspWellForOthers,
        Optional<String> capturedAs, boolean failedAlready, boolean anotherCaptured, boolean canGoOn) {

    /** No attempt was made, for a bug of ours came before it. */
    public static Situation beforeAnAttempt(OperationKind kind, Progress progress, int represented) {
        return new Situation(kind, progress, represented, false, true, Optional.empty(), false, false, false);
    }
}
