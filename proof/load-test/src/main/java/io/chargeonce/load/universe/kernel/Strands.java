// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor with a strand for each task. */
public class Strands extends AbstractExecutorService {

    private int open;
    private boolean shut;

    @Override
    public void execute(Runnable task) {
        open++;
        Kernel.it().spawn(Kernel.it().host(), "task", () -> {
            try {
                task.run();
            } finally {
                open--;
            }
        });
    }

    @Override
    public void shutdown() {
        shut = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shut = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shut;
    }

    @Override
    public boolean isTerminated() {
        return shut && open == 0;
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) {
        Kernel.it().await(this::isTerminated, SimulatedThread.NEVER);
        return true;
    }

    /** Nothing runs if it is cancelled first. */
    public static ScheduledFuture<?> later(Host host, Runnable task, long due) {
        var timer = new Timer(task);
        Kernel kernel = Kernel.it();
        kernel.spawn(host, "timer", () -> {
            kernel.await(timer::isCancelled, due);
            timer.run();
        });
        return timer;
    }

    /** Until it is cancelled. */
    static ScheduledFuture<?> repeatedly(Host host, Runnable task, long first, long pauseMicros) {
        var timer = new Timer(task);
        Kernel kernel = Kernel.it();
        kernel.spawn(host, "timer", () -> {
            for (long due = first; !timer.isCancelled(); due = kernel.now() + pauseMicros) {
                kernel.await(timer::isCancelled, due);
                if (!timer.isCancelled()) {
                    task.run();
                }
            }
        });
        return timer;
    }

    private static final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {

        Timer(Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            throw new UnsupportedOperationException("Bug! No service asks a timer");
        }

        @Override
        public int compareTo(Delayed other) {
            throw new UnsupportedOperationException("Bug! No service sorts timers");
        }
    }
}
