// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.dlq.query.SumsByKind;
import java.util.Arrays;
import java.util.Locale;

/** What a run did with one dead letter. */
public enum MoveResult {
    /** Back at the front of the pipeline. */
    REENTERED,
    /** The resolver settles it now, after a status query to the PSP if the outcome is not known yet; it stays listed until then. */
    ASKED,
    /** A record without a payment went to its topic again: as a person had edited it, or back to another system. */
    RESENT,
    PURGED,
    /** Purged before, and back in the queue. */
    RESTORED,
    /** It waited, and is staged for the main topic. If its PSP is still not well, it is parked again. */
    RETRIED,
    /** It waited, and is in the queue now. */
    STOPPED,
    /**
     * Left as it is, because this may not be done with it: poison in a merge, money that was or may be taken in a purge, what ends by its
     * decline in a stop.
     */
    REFUSED,
    /** A record without a payment, left as it is, because no data key here opens it, or its bytes were changed. */
    CLOSED,
    /** Another system's record, left as it is, because Kafka has no topic of its target's name, or shows none to this login. */
    NO_TOPIC,
    /** Another system's record, left as it is, because it is larger than its topic takes now. */
    TOO_LARGE,
    /** Another person or run moved it first, it failed once more, or it does not wait at that moment. */
    GONE;

    /** Whether the run changed this dead letter, which is what its command was called for. */
    public boolean isMove() {
        return switch (this) {
            case REENTERED, ASKED, RESENT, PURGED, RESTORED, RETRIED, STOPPED -> true;
            case REFUSED, CLOSED, NO_TOPIC, TOO_LARGE, GONE -> false;
        };
    }

    /** How many a run has changed. */
    public static long moved(SumsByKind<MoveResult> results) {
        return Arrays.stream(values()).filter(MoveResult::isMove).mapToLong(result -> results.of(result).count()).sum();
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static MoveResult fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
