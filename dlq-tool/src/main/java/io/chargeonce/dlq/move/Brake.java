// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Stops a run after the batch under way. Any thread may press it, once and for good. */
public final class Brake {

    private final CountDownLatch pressed = new CountDownLatch(1);

    public void press() {
        pressed.countDown();
    }

    public boolean isPressed() {
        return pressed.getCount() == 0;
    }

    /** Waits, and returns early when pressed. */
    public void rest(Duration pause) {
        try {
            if (pressed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            press();
        }
    }
}
