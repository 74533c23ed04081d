// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor whose tasks begin later, each in a strand of its own. */
final class Timers extends Strands implements ScheduledExecutorService {

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long time, TimeUnit unit) {
        return later(Kernel.it().host(), task, due(time, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
        return repeatedly(Kernel.it().host(), task, due(first, unit), unit.toMicros(pause));
    }

    private static long due(long time, TimeUnit unit) {
        return Kernel.it().now() + unit.toMicros(time);
    }

    /** No service waits for what a timer returns. */
    @Override
    @SuppressWarnings("unchecked")
    public <T> ScheduledFuture<T> schedule(Callable<T> task, long time, TimeUnit unit) {
        return (ScheduledFuture<T>) later(Kernel.it().host(), new FutureTask<>(task), due(time, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("Bug! No service has a timer with a fixed rate");
    }
}
