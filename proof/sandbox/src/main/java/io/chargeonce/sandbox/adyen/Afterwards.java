// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What Adyen does by itself after it has answered: executes modifications and delivers notifications, on one thread. */
final class Afterwards implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Afterwards.class);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final InstantSource clock;
    private final ModificationResults results;
    private final Optional<AdyenWebhooks> webhooks;
    private final Thread thread;
    private volatile boolean held;

    private Afterwards(InstantSource clock, ModificationResults results, Optional<AdyenWebhooks> webhooks) {
        this.clock = clock;
        this.results = results;
        this.webhooks = webhooks;
        this.thread = Thread.ofVirtual().name("adyen-afterwards").unstarted(this::run);
    }

    static Afterwards start(InstantSource clock, ModificationResults results, Optional<AdyenWebhooks> webhooks) {
        Afterwards afterwards = new Afterwards(clock, results, webhooks);
        afterwards.thread.start();
        return afterwards;
    }

    /** Keeps notifications here until this is called with false. None is lost. */
    void hold(boolean now) {
        held = now;
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
            results.executeDue(clock.instant());
            if (webhooks.isPresent() && !held) {
                webhooks.get().deliver();
            }
        } catch (RuntimeException bug) {
            LOG.error("Bug! Adyen's afterwards failed and is tried again", bug);
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
