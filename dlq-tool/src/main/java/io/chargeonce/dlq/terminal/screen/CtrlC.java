// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import io.chargeonce.dlq.move.Brake;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Until released, Ctrl-C presses a brake and waits while the command finishes its batch and prints how far it came. */
public final class CtrlC {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch said = new CountDownLatch(1);
    private final Thread hook;

    private CtrlC(Brake brake) {
        this.hook = new Thread(() -> {
            brake.press();
            waitUntilSaid();
        }, "stop-between-batches");
    }

    public static CtrlC presses(Brake brake) {
        var ctrlC = new CtrlC(brake);
        Runtime.getRuntime().addShutdownHook(ctrlC.hook);
        return ctrlC;
    }

    private void waitUntilSaid() {
        try {
            said.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void letGo() {
        said.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException itIsShuttingDown) {
            // The hook runs, and has just been let go.
        }
    }
}
