// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After SIGTERM or Ctrl-C, a service that has drained ends with exit code 0, and one whose parts did not all close well with 1. By itself
 * the JVM would end with 143 or 130 in both cases, which a supervisor takes for a failure. For the command of a service.
 */
final class ExitCode {

    /** A service that waits for its end. It returns whether all its parts closed well. */
    interface Draining {
        boolean awaitShutdown() throws InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(ExitCode.class);
    /** After its service is closed, a command only sends its remaining spans. */
    private static final Duration TO_RETURN = Duration.ofSeconds(20);
    private static final CompletableFuture<Integer> RETURNED = new CompletableFuture<>();

    private ExitCode() {}

    /** Waits until the service is closed. Before this call a signal ends the JVM with the JVM's own code. */
    static int of(Draining service) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(service), "exit-code"));
        LOG.info("The service has started; SIGTERM or Ctrl-C drains it");
        return service.awaitShutdown() ? 0 : 1;
    }

    /** The command has returned, and nothing is left to close. */
    static void returned(int code) {
        RETURNED.complete(code);
    }

    private static void end(Draining service) {
        try {
            service.awaitShutdown();
            Runtime.getRuntime().halt(RETURNED.get(TO_RETURN.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            // The JVM ends with its own code.
        }
    }
}
