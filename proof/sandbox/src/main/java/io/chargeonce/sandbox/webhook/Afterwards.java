// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.webhook;

import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a PSP does by itself after it has answered: what is due then, and its webhooks, on one thread. */
public final class Afterwards implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Afterwards.class);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Runnable due;
    private final Optional<? extends WebhookSender<?>> webhooks;
    private final Thread thread;
    private volatile boolean held;
    private volatile boolean disordered;

    private Afterwards(Runnable due, Optional<? extends WebhookSender<?>> webhooks) {
        this.due = due;
        this.webhooks = webhooks;
        this.thread = Thread.ofVirtual().name("psp-afterwards").unstarted(this::run);
    }

    /** @param due does what is due now */
    public static Afterwards start(Runnable due, Optional<? extends WebhookSender<?>> webhooks) {
        Afterwards afterwards = new Afterwards(due, webhooks);
        afterwards.thread.start();
        return afterwards;
    }

    /** Keeps webhooks here until this is called with false. None is lost. */
    public void hold(boolean now) {
        held = now;
    }

    /** From now on the newest webhook comes first, and each comes twice. */
    public void disorder(boolean now) {
        disordered = now;
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                runOnce();
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException closed) {
            // Closed: what is due stays due.
        }
    }

    private void runOnce() throws InterruptedException {
        try {
            due.run();
            if (webhooks.isPresent() && !held) {
                webhooks.get().deliver(disordered);
            }
        } catch (RuntimeException bug) {
            LOG.error("Bug! What a PSP does by itself failed and is tried again", bug);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
