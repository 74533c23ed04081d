// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.time.Duration;

/** Lets time pass. */
final class Pauses {

    private Pauses() {}

    static void of(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
