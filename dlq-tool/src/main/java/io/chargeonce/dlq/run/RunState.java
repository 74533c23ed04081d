// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import java.util.Locale;

/** Where a run stands. */
public enum RunState {
    /** Its set is frozen; nothing has moved. */
    PLANNED,
    /** Begun. Without a leader it was stopped or killed, and waits to be resumed. */
    RUNNING,
    /** Everything in it was moved, or found gone. */
    FINISHED,
    /** The run aborted itself: too many failed again, by when it may have sent everything, or a person is to look at its canary first. */
    ABORTED,
    /** A person stopped it for good. */
    CANCELLED;

    /** Whether nothing of it will move any more. */
    public boolean isEnd() {
        return switch (this) {
            case PLANNED, RUNNING, ABORTED -> false;
            case FINISHED, CANCELLED -> true;
        };
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RunState fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
