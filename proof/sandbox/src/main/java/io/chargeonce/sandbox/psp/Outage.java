// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;
import java.time.Instant;

/** A time in which every request is answered 503 and none is executed. Any thread. */
final class Outage {
    private volatile Instant end = Instant.MIN;

    void last(Instant now, Duration time) {
        end = now.plus(time);
    }

    void end() {
        end = Instant.MIN;
    }

    boolean isOn(Instant now) {
        return now.isBefore(end);
    }
}
