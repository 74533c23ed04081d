// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import io.chargeonce.terminal.Screen;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** A line at the terminal while something takes long: what it is, and for how long so far. The line goes when it is done. */
public final class ProgressMessage {

    private final PrintWriter err;
    private final Supplier<String> what;
    private final CountDownLatch done = new CountDownLatch(1);

    private ProgressMessage(PrintWriter err, Supplier<String> what) {
        this.err = err;
        this.what = what;
    }

    /** Prints nothing for a script. */
    public static <T> T say(String what, CommandSpec command, boolean json, Supplier<T> work) {
        return say(() -> what, command, json, work);
    }

    /** @param what asked once a second, on another thread */
    public static <T> T say(Supplier<String> what, CommandSpec command, boolean json, Supplier<T> work) {
        return json || !Screen.isTerminal() ? work.get() : new ProgressMessage(command.commandLine().getErr(), what).during(work);
    }

    private <T> T during(Supplier<T> work) {
        Thread clock = Thread.ofPlatform().daemon().name("meanwhile").start(this::tick);
        try {
            return work.get();
        } finally {
            done.countDown();
            join(clock);
        }
    }

    /** The worker waits for Postgres, so another thread prints the time. */
    private void tick() {
        try {
            err.print("\r" + what.get() + " …");
            err.flush();
            for (int seconds = 1; !done.await(1, TimeUnit.SECONDS); seconds++) {
                err.print("\r%s … %d s".formatted(what.get(), seconds));
                err.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        err.print("\r\u001b[K");
        err.flush();
    }

    private static void join(Thread clock) {
        try {
            clock.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
