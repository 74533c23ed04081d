// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import java.time.Duration;

/** What a run's leader did last. */
public sealed interface RunStep {

    /** One commit, or two when there is much to move. */
    record Moved(int count) implements RunStep {}

    /** Nothing to do before that: the canary has not ended yet, or the rate says so. */
    record Waits(Duration pause) implements RunStep {}

    /** Everything was moved. */
    record Finished() implements RunStep {}

    record Aborted(String verdict) implements RunStep {}

    /** Another person stopped or cancelled the run, or another process leads it now. */
    record Lost() implements RunStep {}

    /** What is left is more than its leader may move alone: another person has to approve it first. */
    record Unapproved() implements RunStep {}

    /**
     * Its canary waits in the tiers for what a person has paused.
     *
     * @param pause what is paused, and by whom
     */
    record Held(String pause) implements RunStep {}

    /** The brake was pressed. */
    record Stopped() implements RunStep {}
}
