// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Place;

/** What is known from offsets alone, beside the records themselves. Any thread. */
interface OffsetEvidence {

    /** Where a record of a tier's topic stands. */
    enum Standing {
        /** It is on its topic, and its consumers have not finished it, or only a moment ago. */
        AHEAD,
        /** Its consumers have finished it. */
        FINISHED,
        /** It is no longer on its topic. */
        GONE,
        UNKNOWN
    }

    /** @param at when the broker took it, in milliseconds */
    Standing standing(int tier, Place place, long at);

    /**
     * The time up to which every record was read, in milliseconds; 0 while that is not known. What is missing is judged by this time and
     * not by the clock on the wall: a witness that is behind takes nothing for lost.
     *
     * @param wall the time of the clock on the wall
     */
    long completeAsOf(long wall);
}
