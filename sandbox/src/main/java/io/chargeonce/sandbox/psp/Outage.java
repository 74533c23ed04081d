// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;
import java.time.Instant;

/** A time in which every request is answered 503 and none is executed. Any thread. */
public final class Outage {
    private volatile Instant end = Instant.MIN;

    public void last(Instant now, Duration time) {
        end = now.plus(time);
    }

    public void end() {
        end = Instant.MIN;
    }

    public boolean isOn(Instant now) {
        return now.isBefore(end);
    }
}
