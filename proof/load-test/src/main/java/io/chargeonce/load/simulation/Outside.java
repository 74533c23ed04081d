// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The calls of the JDK that wait, ask the time, draw random numbers, start a thread or open a connection. A class of a universe may make
 * one only if {@link Rewriting} puts another in its place: otherwise a universe would hang, or differ each time it is played.
 */
final class Outside {

    private static final String CONCURRENT = "java/util/concurrent/";
    private static final Set<String> NOW = Set.of("now");
    private static final Set<String> LOCKING = Set.of("lock", "lockInterruptibly", "tryLock", "newCondition");

    /** By owner: the names of its methods, with any parameters. */
    private static final Map<String, Set<String>> NAMED = Map.ofEntries(
            Map.entry("java/lang/Object", Set.of("wait")),
            Map.entry("java/lang/Thread", Set.of("sleep", "join", "start", "startVirtualThread", "yield", "onSpinWait")),
            Map.entry("java/lang/Thread$Builder", Set.of("start", "factory")),
            Map.entry("java/lang/Thread$Builder$OfVirtual", Set.of("start", "factory")),
            Map.entry("java/lang/Thread$Builder$OfPlatform", Set.of("start", "factory")),
            Map.entry("java/lang/Runtime", Set.of("addShutdownHook", "removeShutdownHook", "exec")),
            Map.entry("java/lang/ProcessBuilder", Set.of("start")),
            Map.entry("java/lang/Process", Set.of("waitFor")),
            Map.entry("java/lang/System", Set.of("nanoTime", "currentTimeMillis")),
            Map.entry("java/lang/Math", Set.of("random")),
            Map.entry("java/time/Instant", NOW), Map.entry("java/time/LocalDate", NOW), Map.entry("java/time/LocalTime", NOW),
            Map.entry("java/time/LocalDateTime", NOW), Map.entry("java/time/OffsetDateTime", NOW), Map.entry("java/time/OffsetTime", NOW),
            Map.entry("java/time/ZonedDateTime", NOW), Map.entry("java/time/Year", NOW), Map.entry("java/time/YearMonth", NOW),
            Map.entry("java/time/InstantSource", Set.of("system")),
            Map.entry("java/time/Clock", Set.of("system", "systemUTC", "systemDefaultZone", "tickMillis", "tickSeconds", "tickMinutes")),
            Map.entry("java/util/UUID", Set.of("randomUUID")),
            Map.entry("java/util/Timer", Set.of("<init>", "schedule", "scheduleAtFixedRate")),
            Map.entry("java/util/Collections", Set.of("shuffle")),
            Map.entry("java/util/random/RandomGenerator", Set.of("getDefault", "of")),
            Map.entry(CONCURRENT + "ThreadLocalRandom", Set.of("current")),
            Map.entry(CONCURRENT + "Semaphore", Set.of("acquire", "acquireUninterruptibly", "tryAcquire")),
            Map.entry(CONCURRENT + "CountDownLatch", Set.of("await")), Map.entry(CONCURRENT + "CyclicBarrier", Set.of("await")),
            Map.entry(CONCURRENT + "Phaser", Set.of("awaitAdvance", "awaitAdvanceInterruptibly", "arriveAndAwaitAdvance")),
            Map.entry(CONCURRENT + "Exchanger", Set.of("exchange")),
            Map.entry(CONCURRENT + "Future", Set.of("get")), Map.entry(CONCURRENT + "FutureTask", Set.of("get")),
            Map.entry(CONCURRENT + "ForkJoinTask", Set.of("get", "join", "invoke", "fork")),
            Map.entry(CONCURRENT + "ForkJoinPool", Set.of("<init>", "commonPool", "invoke", "awaitQuiescence")),
            Map.entry(CONCURRENT + "CompletableFuture", Set.of("get", "join", "orTimeout", "completeOnTimeout", "delayedExecutor")),
            Map.entry(CONCURRENT + "ExecutorService", Set.of("awaitTermination", "invokeAll", "invokeAny")),
            Map.entry(CONCURRENT + "ScheduledExecutorService", Set.of("schedule", "scheduleAtFixedRate", "scheduleWithFixedDelay")),
            Map.entry(CONCURRENT + "ThreadPoolExecutor", Set.of("<init>")),
            Map.entry(CONCURRENT + "ScheduledThreadPoolExecutor", Set.of("<init>")),
            Map.entry(CONCURRENT + "locks/Lock", LOCKING), Map.entry(CONCURRENT + "locks/ReentrantLock", LOCKING),
            Map.entry(CONCURRENT + "locks/ReentrantReadWriteLock$ReadLock", LOCKING),
            Map.entry(CONCURRENT + "locks/ReentrantReadWriteLock$WriteLock", LOCKING),
            Map.entry(CONCURRENT + "locks/StampedLock", Set.of("readLock", "writeLock", "tryReadLock", "tryWriteLock")),
            Map.entry(CONCURRENT + "locks/Condition", Set.of("await", "awaitNanos", "awaitUntil", "awaitUninterruptibly")),
            Map.entry(CONCURRENT + "locks/LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("java/net/Socket", Set.of("<init>", "connect")), Map.entry("java/net/ServerSocket", Set.of("<init>", "accept")),
            Map.entry("java/net/URL", Set.of("openConnection", "openStream")),
            Map.entry("java/net/InetAddress", Set.of("getByName", "getAllByName", "getLocalHost")),
            Map.entry("java/nio/channels/SocketChannel", Set.of("open")),
            Map.entry("java/nio/channels/ServerSocketChannel", Set.of("open")),
            Map.entry("java/net/http/HttpClient", Set.of("newHttpClient", "newBuilder", "send", "sendAsync")),
            Map.entry("com/sun/net/httpserver/HttpServer", Set.of("create")),
            Map.entry("java/sql/DriverManager", Set.of("getConnection")), Map.entry("javax/sql/DataSource", Set.of("getConnection")),
            Map.entry("org/apache/kafka/clients/consumer/KafkaConsumer", Set.of("<init>")),
            Map.entry("org/apache/kafka/clients/producer/KafkaProducer", Set.of("<init>")),
            Map.entry("org/apache/kafka/clients/admin/Admin", Set.of("create")));

    /** Whole, for their neighbours of the same name do not wait, or draw from a seed. */
    private static final Set<String> EXACT = Set.of(
            "java/util/Random.<init>()V", "java/util/SplittableRandom.<init>()V", "java/util/Date.<init>()V",
            CONCURRENT + "SubmissionPublisher.<init>()V");

    /** They look and go on, or run in another's place only when a universe lets them. */
    private static final Set<String> HARMLESS = Set.of(CONCURRENT + "Semaphore.tryAcquire()Z", CONCURRENT + "Semaphore.tryAcquire(I)Z",
            CONCURRENT + "locks/ReentrantLock.tryLock()Z", CONCURRENT + "locks/Lock.tryLock()Z",
            "java/util/Collections.shuffle(Ljava/util/List;Ljava/util/Random;)V",
            "java/util/Collections.shuffle(Ljava/util/List;Ljava/util/random/RandomGenerator;)V");

    private static final Pattern QUEUE = Pattern.compile("java/util/concurrent/\\w*(Blocking|Transfer|Delay|Synchronous)\\w*(Queue|Deque)");
    private static final Set<String> QUEUEING =
            Set.of("take", "takeFirst", "takeLast", "put", "putFirst", "putLast", "transfer", "tryTransfer");
    private static final Pattern IN_THE_COMMON_POOL = Pattern.compile("(supply|run|\\w+)Async");
    private static final String NANOS = "JLjava/util/concurrent/TimeUnit;)";

    private Outside() {}

    static boolean isCalledBy(String owner, String name, String descriptor) {
        String call = owner + "." + name + descriptor;
        if (HARMLESS.contains(call)) {
            return false;
        }
        // A wait is inherited by every class, and so is named after any.
        boolean monitor = name.equals("wait") && (descriptor.equals("()V") || descriptor.equals("(J)V") || descriptor.equals("(JI)V"));
        return monitor || EXACT.contains(call) || NAMED.getOrDefault(owner, Set.of()).contains(name)
                || QUEUE.matcher(owner).matches() && (QUEUEING.contains(name) || descriptor.contains(NANOS))
                || owner.equals(CONCURRENT + "Executors") && name.startsWith("new")
                || owner.equals(CONCURRENT + "CompletableFuture") && IN_THE_COMMON_POOL.matcher(name).matches()
                        && !descriptor.contains("Ljava/util/concurrent/Executor;");
    }
}
