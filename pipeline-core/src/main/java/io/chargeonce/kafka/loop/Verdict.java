// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;

/** What a {@link RecordHandler} decided about a record. */
public sealed interface Verdict {

    /** The record's work is durable, so its offset may be committed. */
    record Done() implements Verdict {}

    /**
     * The record came too early by the database's clock. It is handed over again after {@code pause}. Until then it takes no slot of the
     * loop, holds back only its own key, and its offset stays uncommitted.
     */
    record NotBefore(Duration pause) implements Verdict {
        public NotBefore {
            if (pause.isNegative()) {
                throw new IllegalArgumentException("A record can't be given back for " + pause + ": the pause must not be negative");
            }
        }
    }

    static Verdict done() {
        return new Done();
    }

    static Verdict notBefore(Duration pause) {
        return new NotBefore(pause);
    }
}
