// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;

/** How many records are due and not started, and when the oldest of them became due. Immutable. */
record Overdue(long records, Instant oldestDue) {

    static Overdue none(Instant now) {
        return new Overdue(0, now);
    }

    Overdue and(Overdue other) {
        return new Overdue(records + other.records, oldestDue.isBefore(other.oldestDue) ? oldestDue : other.oldestDue);
    }

    Duration age(Instant now) {
        return Duration.between(oldestDue, now);
    }
}
