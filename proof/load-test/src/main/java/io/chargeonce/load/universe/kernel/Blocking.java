// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * What the services call in place of the JDK wherever they ask the time, start a thread or wait: the same contract, by the
 * {@link Kernel}'s time and order. The calls are put in while the classes are loaded. Only the strand that has the turn may call it.
 */
public final class Blocking {

    /** A relay's longer pauses are for other things than work. */
    private static final Duration LONGEST_IDLE = Duration.ofMillis(8);
    /** What is staged elsewhere gathers for so long, that fewer looks find more; what its own process stages is told to it at once. */
    private static final Duration GATHER = Duration.ofMillis(100);
    /** A relay without work looks again so rarely only where nothing was staged for it since it looked. */
    private static final Duration NOTHING_NEW = Duration.ofSeconds(10);
    /** The pause of a relay that has no shard. */
    private static final Duration SHARD_HUNT = Duration.ofMillis(200);

    private Blocking() {}

    private static boolean until(BooleanSupplier condition, long deadline) throws InterruptedException {
        Kernel.it().awaitInterruptibly(condition, deadline);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return condition.getAsBoolean();
    }

    private static long after(long time, TimeUnit unit) {
        return unit.toMicros(time) > Duration.ofDays(1000).toSeconds() * 1_000_000 ? SimulatedThread.NEVER
                : Kernel.it().now() + unit.toMicros(time) + (unit.toNanos(time) % 1_000 > 0 ? 1 : 0);
    }

    /** Called with everything that is caught by a catch of all errors: the end of a process is none that it could survive. */
    public static void passOnKilled(Throwable caught) {
        if (caught instanceof Killed killed) {
            throw killed;
        }
    }

    public static void sleep(Duration time) throws InterruptedException {
        until(SimulatedThread.AT_NO_EVENT, Kernel.it().after(time));
    }

    public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit) throws InterruptedException {
        return until(() -> semaphore.availablePermits() > 0, after(time, unit)) && semaphore.tryAcquire();
    }

    /** The relay's pause: what it would find when nothing was staged to its shards is known, so it need not ask. */
    public static boolean tryAcquireWhenStaged(Semaphore semaphore, long time, TimeUnit unit) throws InterruptedException {
        Kernel kernel = Kernel.it();
        Host host = kernel.host();
        Stagings stagings = SimulatedPostgres.it().stagings();
        if (unit.toMillis(time) == SHARD_HUNT.toMillis()) {
            long due = kernel.after(SHARD_HUNT);
            return until(() -> kernel.now() >= due && stagings.mayShareOtherwise(host.seen), kernel.after(NOTHING_NEW))
                    && semaphore.tryAcquire();
        }
        if (unit.toMillis(time) > LONGEST_IDLE.toMillis()) {
            return tryAcquire(semaphore, time, unit);
        }
        long due = kernel.after(GATHER);
        return until(() -> stagings.concern(host.seen) && (semaphore.availablePermits() > 0 || kernel.now() >= due),
                kernel.after(NOTHING_NEW)) && semaphore.tryAcquire();
    }

    public static void acquireUninterruptibly(Semaphore semaphore) {
        Kernel.it().await(() -> semaphore.availablePermits() > 0, SimulatedThread.NEVER);
        semaphore.acquireUninterruptibly();
    }

    public static void parkNanos(long nanos) {
        Kernel.it().sleep(Duration.ofNanos(nanos));
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit) throws InterruptedException {
        return until(() -> latch.getCount() == 0, after(time, unit));
    }

    /** A worker's pause, up to four times as long: as on a busy machine, and it costs fewer looks at nothing. */
    public static boolean awaitLeisurely(CountDownLatch latch, long time, TimeUnit unit) throws InterruptedException {
        return await(latch, time + Kernel.it().random().nextLong(3 * time + 1), unit);
    }

    public static void await(CountDownLatch latch) throws InterruptedException {
        until(() -> latch.getCount() == 0, SimulatedThread.NEVER);
    }

    public static Object join(CompletableFuture<?> future) {
        Kernel.it().await(future::isDone, SimulatedThread.NEVER);
        return future.join();
    }

    public static Object get(Future<?> future) throws InterruptedException, ExecutionException {
        until(future::isDone, SimulatedThread.NEVER);
        return future.get();
    }

    public static Object get(CompletableFuture<?> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!until(future::isDone, after(time, unit))) {
            throw new TimeoutException();
        }
        return future.get();
    }

    public static Thread start(Thread.Builder.OfVirtual builder, Runnable body) {
        return start(body);
    }

    public static Thread start(Thread.Builder.OfPlatform builder, Runnable body) {
        return start(body);
    }

    private static Thread start(Runnable body) {
        return Kernel.it().spawn(Kernel.it().host(), "thread", body).thread;
    }

    public static boolean join(Thread thread, Duration time) throws InterruptedException {
        SimulatedThread strand = Kernel.it().of(thread);
        return strand == null || until(() -> strand.ended, Kernel.it().after(time));
    }

    public static void join(Thread thread) throws InterruptedException {
        SimulatedThread strand = Kernel.it().of(thread);
        if (strand != null) {
            until(() -> strand.ended, SimulatedThread.NEVER);
        }
    }

    public static ExecutorService executor() {
        return new Strands();
    }

    public static ExecutorService executor(ThreadFactory unused) {
        return new Strands();
    }

    public static ScheduledExecutorService timers(ThreadFactory unused) {
        return new Timers();
    }

    public static ScheduledFuture<?> schedule(ScheduledExecutorService timers, Runnable task, long time, TimeUnit unit) {
        return timers.schedule(task, time, unit);
    }

    public static <T> ScheduledFuture<T> schedule(ScheduledExecutorService timers, Callable<T> task, long time, TimeUnit unit) {
        return timers.schedule(task, time, unit);
    }

    public static ScheduledFuture<?> scheduleWithFixedDelay(ScheduledExecutorService timers, Runnable task, long first, long pause,
                                                            TimeUnit unit) {
        return timers.scheduleWithFixedDelay(task, first, pause, unit);
    }

    /** What it is given to starts strands. */
    public static ThreadFactory factory(Thread.Builder.OfPlatform builder) {
        return body -> {
            throw new IllegalStateException("Bug! A universe has no threads of this kind");
        };
    }

    /** Its strands end by themselves, so nothing interrupts them. */
    public static boolean awaitTermination(ExecutorService strands, long time, TimeUnit unit) throws InterruptedException {
        return until(strands::isTerminated, after(time, unit));
    }

    public static <T> List<Future<T>> invokeAll(ExecutorService strands, Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        List<Future<T>> begun = new ArrayList<>();
        tasks.forEach(task -> begun.add(strands.submit(task)));
        until(() -> begun.stream().allMatch(Future::isDone), SimulatedThread.NEVER);
        return begun;
    }

    /** One that is never used, for every exchange goes to the universe's PSPs. */
    public static HttpClient.Builder noHttp() {
        return (HttpClient.Builder) Proxy.newProxyInstance(Blocking.class.getClassLoader(), new Class<?>[] {HttpClient.Builder.class},
                (builder, method, arguments) -> method.getName().equals("build") ? null : builder);
    }

    public static void addShutdownHook(Runtime runtime, Thread hook) {
        // A universe ends without saying so.
    }

    public static boolean removeShutdownHook(Runtime runtime, Thread hook) {
        return true;
    }

    public static long nanoTime() {
        return Kernel.it().now() * 1_000;
    }

    public static Instant now() {
        return Kernel.it().clock();
    }

    public static InstantSource system() {
        return Blocking::now;
    }

    /** Services read addresses from texts, and ask no resolver. */
    public static InetAddress literal(String address) throws UnknownHostException {
        if (!address.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            throw new IllegalArgumentException("Bug! A universe has no resolver for " + address);
        }
        return InetAddress.getByName(address);
    }

    public static UUID randomUUID() {
        return new UUID(Kernel.it().random().nextLong(), Kernel.it().random().nextLong());
    }

    /** The same set, walked over in an order that no run of the JVM chooses. */
    public static <T> Set<T> unsalted(Set<T> salted) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(inOrder(salted)));
    }

    public static <K, V> Map<K, V> unsalted(Map<K, V> salted) {
        var inOrder = new LinkedHashMap<K, V>();
        inOrder(salted.keySet()).forEach(key -> inOrder.put(key, salted.get(key)));
        return Collections.unmodifiableMap(inOrder);
    }

    private static <T> Collection<T> inOrder(Set<T> salted) {
        return salted.size() < 2 || !salted.stream().allMatch(Comparable.class::isInstance) ? salted : new TreeSet<>(salted);
    }

    public static <T> Set<T> copyOf(Collection<T> all) {
        all.forEach(Objects::requireNonNull);
        return Collections.unmodifiableSet(new LinkedHashSet<>(all));
    }

    public static <K, V> Map<K, V> copyOf(Map<K, V> all) {
        all.forEach((key, value) -> Objects.requireNonNull(value, Objects.requireNonNull(key).toString()));
        return Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    /** An executor whose tasks begin later, each in a strand of its own. */
    private static final class Timers extends Strands implements ScheduledExecutorService {

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
}
