// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;

/**
 * How far the witness is.
 *
 * @param percent     of what it must read again to know everything; 100 once it is live
 * @param recordsToGo how many records it still has to read
 * @param liveSince   null before it is live for the first time
 * @param open        operations that have not ended
 * @param problem     what keeps it from seeing everything, and what to do; empty if nothing does
 */
public record WitnessProgress(State state, double percent, long recordsToGo, Instant liveSince, long open, String problem) {

    public enum State {
        STARTING,
        /** It reads what it missed. What it says is not complete. */
        REBUILDING,
        LIVE,
        STOPPED
    }
}
