// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.notifications.DeliverySchedule;
import io.chargeonce.notifications.webhook.DeliveryTable.Lane;
import io.chargeonce.notifications.webhook.DeliveryTable.Tried;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims deliveries that are due, sends them and records how it went. Endpoints that fail or are slow have a quarter of the slots, and
 * failing ones have one each, so that they delay no other. One worker calls {@link #runOnce}.
 *
 * <p>Tries run on platform threads: asking for a host's name blocks in the system's resolver, where a virtual thread would keep its carrier
 * from all others.
 */
final class Dispatcher implements AutoCloseable {

    /** @param slots how many tries may be under way at once */
    record Limits(int slots, int perEndpoint, Duration timeout) {

        int slotsOf(Lane lane) {
            int heldBack = Math.max(1, slots / 4);
            return lane == Lane.HELD_BACK ? heldBack : Math.max(1, slots - heldBack);
        }

        /** However many endpoints a merchant has, half of the slots are for others. */
        int perMerchant(Lane lane) {
            return Math.max(1, slotsOf(lane) / 2);
        }

        /** As many slow ones as there are slots come on top. */
        int triesAtOnce() {
            return 2 * slots;
        }

        /** Longer than any try, with its look-up of the name and the record of its answer. */
        Duration claim() {
            return timeout.plus(Duration.ofSeconds(30));
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /** After a try that was not sent because of us. */
    private static final Duration NOT_SENT = Duration.ofMinutes(1);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);
    private static final int LARGEST_CLAIM = 500;
    /** While all are busy, a claim waits until a quarter of the slots is free, and no longer than this: each claim reads all endpoints. */
    private static final Duration GATHERS = Duration.ofMillis(50);
    private static final Duration LOOKS_EVERY = Duration.ofMillis(1);
    /** An endpoint that was not tried for so long is no longer known as slow. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofHours(1);
    /** A try that takes longer leaves its slot to others, as long as there are fewer such tries than slots. */
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final Duration SLOW_IS_SEEN_WITHIN = Duration.ofMillis(250);

    private final DeliveryTable table;
    private final Sender sender;
    private final DeliverySchedule schedule;
    private final Limits limits;
    private final WebhookMeters meters;
    private final Map<Lane, Semaphore> free = new EnumMap<>(Lane.class);
    private final Map<Lane, String> lastEndpoint = new EnumMap<>(Lane.class);
    /** When endpoints that are slow were last met as such. One quick answer takes an endpoint out. */
    private final Map<String, Long> heldBack = new ConcurrentHashMap<>();
    private long nextHeldBack = System.nanoTime();
    private final Semaphore roomForSlow;
    private final Set<Slot> underWay = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("webhook-slow-tries").factory());
    private final Coalescer<Tried, Boolean> recording;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("webhook-try-", 0).factory());

    Dispatcher(Database database, Sender sender, DeliverySchedule schedule, Limits limits, WebhookMeters meters) {
        this.table = new DeliveryTable(database);
        this.sender = sender;
        this.schedule = schedule;
        this.limits = limits;
        this.meters = meters;
        this.recording = new Coalescer<>("webhook-results", database, 1, () -> {}, (connection, tries) -> {
            DeliveryTable.record(connection, tries);
            return tries.stream().map(tried -> true).toList();
        });
        this.roomForSlow = new Semaphore(limits.triesAtOnce() - limits.slots());
        long pause = SLOW_IS_SEEN_WITHIN.toMillis();
        var unused = watch.scheduleWithFixedDelay(() -> underWay.forEach(Slot::look), pause, pause, TimeUnit.MILLISECONDS);
        for (Lane lane : Lane.values()) {
            free.put(lane, new Semaphore(limits.slotsOf(lane)));
            lastEndpoint.put(lane, "");
        }
    }

    /** Returns how many tries it has begun. */
    int runOnce() {
        try {
            gather();
            int begun = begin(Lane.SOUND);
            if (begun == 0 || System.nanoTime() - nextHeldBack > 0) {
                begun += begin(Lane.HELD_BACK);
                nextHeldBack = System.nanoTime() + GATHERS.toNanos();
            }
            return begun;
        } catch (DatabaseUnavailable | DatabaseRefused trouble) {
            // Its worker asks many times a second, and each failure is a line in the log.
            LockSupport.parkNanos(AFTER_TROUBLE.toNanos());
            throw trouble;
        }
    }

    private void gather() {
        int enough = Math.max(1, limits.slotsOf(Lane.SOUND) / 4);
        long late = System.nanoTime() + GATHERS.toNanos();
        while (free.get(Lane.SOUND).availablePermits() < enough && System.nanoTime() - late < 0) {
            LockSupport.parkNanos(LOOKS_EVERY.toNanos());
        }
    }

    private Set<String> heldBack() {
        long old = System.nanoTime() - FORGOTTEN_AFTER.toNanos();
        heldBack.values().removeIf(at -> at - old < 0);
        return Set.copyOf(heldBack.keySet());
    }

    /** How many tries each endpoint has under way. One with a slow try counts as full: it gets no others. */
    private Map<String, Integer> busy() {
        var busy = new HashMap<String, Integer>();
        underWay.forEach(slot -> busy.merge(slot.endpoint, slot.slow ? limits.perEndpoint() : 1, Integer::sum));
        return busy;
    }

    private int begin(Lane lane) {
        Semaphore slots = free.get(lane);
        int room = Math.min(slots.availablePermits(), LARGEST_CLAIM);
        if (room == 0) {
            return 0;
        }
        List<Delivery> claimed = table.claim(lane, heldBack(), lastEndpoint.get(lane), busy(), limits.perEndpoint(),
                limits.perMerchant(lane), room, limits.claim());
        for (Delivery delivery : claimed) {
            slots.acquireUninterruptibly();
            lastEndpoint.put(lane, delivery.endpoint());
            var slot = new Slot(delivery.endpoint(), slots);
            underWay.add(slot);
            threads.execute(() -> attempt(delivery, slot));
        }
        return claimed.size();
    }

    /** Whatever goes wrong, the claim ends by itself and the delivery is sent again, under the same id. */
    private void attempt(Delivery delivery, Slot slot) {
        try {
            Answer answer = meters.timed(() -> sender.send(delivery));
            slot.answered();
            Tried tried = tried(delivery, answer);
            recording.ask(tried);
            meters.count(tried);
            if (tried.state().equals("dead")) {
                LOG.warn("Webhook {} to endpoint {} is dead after {} tries: {}. 'chargeonce webhook redeliver {}' begins again",
                        delivery.webhookId(), delivery.endpoint(), delivery.attempt(), answer.why().orElse(""), delivery.webhookId());
            }
        } catch (RuntimeException e) {
            LOG.warn("Webhook {} was tried and the result not recorded; it is sent again when its claim ends: {}", delivery.webhookId(),
                    e.toString());
        } finally {
            slot.free();
        }
    }

    /** The place that a try takes. A slow one takes its place among the slow ones, so that those who answer at once do not wait. */
    private final class Slot {

        private final String endpoint;
        private final long begun = System.nanoTime();
        private Semaphore taken;
        private volatile boolean slow;
        private boolean answered;

        Slot(String endpoint, Semaphore taken) {
            this.endpoint = endpoint;
            this.taken = taken;
        }

        /** While there is no room among the slow ones, a slow try keeps its slot. */
        @SuppressWarnings("ReferenceEquality")
        synchronized void look() {
            if (answered || !tookLong()) {
                return;
            }
            slow = true;
            heldBack.put(endpoint, System.nanoTime());
            if (taken != roomForSlow && roomForSlow.tryAcquire()) {
                taken.release();
                taken = roomForSlow;
            }
        }

        private boolean tookLong() {
            return System.nanoTime() - begun > SLOW.toNanos();
        }

        /** What is left takes our own time: to record the answer. */
        synchronized void answered() {
            if (answered) {
                return;
            }
            answered = true;
            if (tookLong()) {
                heldBack.put(endpoint, System.nanoTime());
            } else if (heldBack.containsKey(endpoint)
                    && underWay.stream().noneMatch(other -> other.slow && other.endpoint.equals(endpoint))) {
                heldBack.remove(endpoint);
            }
        }

        synchronized void free() {
            answered();
            underWay.remove(this);
            taken.release();
        }
    }

    private Tried tried(Delivery delivery, Answer answer) {
        return switch (answer) {
            case Answer.Delivered delivered -> new Tried(delivery, answer, "delivered", Duration.ZERO);
            case Answer.NotSent notSent -> new Tried(delivery, answer, "waiting", NOT_SENT);
            case Answer.Failed failed -> {
                Optional<Duration> pause = schedule.after(delivery.attempt());
                yield new Tried(delivery, answer, pause.isPresent() ? "waiting" : "dead",
                        pause.map(usual -> longer(usual, failed.retryAfter())).orElse(Duration.ZERO));
            }
        };
    }

    private static Duration longer(Duration usual, Optional<Duration> asked) {
        return asked.filter(wait -> wait.compareTo(usual) > 0).orElse(usual);
    }

    /** Lets tries end that are under way. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(Math.min(TO_CLOSE.toMillis(), limits.timeout().plusSeconds(2).toMillis()),
                    TimeUnit.MILLISECONDS)) {
                LOG.warn("Some webhooks are still under way; they are sent again when their claims end");
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
        watch.shutdownNow();
        recording.close();
    }
}
