// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.delivery.DeliverySchedule;
import io.chargeonce.webhooks.DeliveryTable.Lane;
import io.chargeonce.webhooks.DeliveryTable.Tried;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims deliveries that are due, sends them and records how it went. Endpoints that fail have a quarter of the slots and one each, so that
 * they delay no other. One worker calls {@link #runOnce}.
 *
 * <p>Tries run on platform threads: asking for a host's name blocks in the system's resolver, where a virtual thread would keep its carrier
 * from all others.
 */
final class Dispatcher implements AutoCloseable {

    /** @param slots how many tries may be under way at once */
    record Limits(int slots, int perEndpoint, Duration timeout) {

        int slotsOf(Lane lane) {
            int failing = Math.max(1, slots / 4);
            return lane == Lane.FAILING ? failing : Math.max(1, slots - failing);
        }

        int perEndpoint(Lane lane) {
            return lane == Lane.FAILING ? 1 : perEndpoint;
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
    /** A try that takes longer leaves its slot to others, as long as there are fewer such tries than slots. */
    private static final Duration SLOW = Duration.ofSeconds(1);

    private final DeliveryTable table;
    private final Sender sender;
    private final DeliverySchedule schedule;
    private final Limits limits;
    private final WebhookMeters meters;
    private final Map<Lane, Semaphore> free = new EnumMap<>(Lane.class);
    private final Map<Lane, String> lastEndpoint = new EnumMap<>(Lane.class);
    private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();
    /** How many slow tries an endpoint has under way. While it has any, it gets no others. */
    private final Map<String, Integer> slow = new ConcurrentHashMap<>();
    private final Semaphore roomForSlow;
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
        for (Lane lane : Lane.values()) {
            free.put(lane, new Semaphore(limits.slotsOf(lane)));
            lastEndpoint.put(lane, "");
        }
    }

    /** Returns how many tries it has begun. */
    int runOnce() {
        try {
            int begun = 0;
            for (Lane lane : Lane.values()) {
                begun += begin(lane);
            }
            return begun;
        } catch (DatabaseUnavailable | DatabaseRefused trouble) {
            // Its worker asks many times a second, and each failure is a line in the log.
            LockSupport.parkNanos(AFTER_TROUBLE.toNanos());
            throw trouble;
        }
    }

    private int begin(Lane lane) {
        Semaphore slots = free.get(lane);
        int room = Math.min(slots.availablePermits(), LARGEST_CLAIM);
        if (room == 0) {
            return 0;
        }
        var busy = new HashMap<>(inFlight);
        slow.keySet().forEach(endpoint -> busy.put(endpoint, limits.perEndpoint()));
        List<Delivery> claimed = table.claim(lane, lastEndpoint.get(lane), busy, limits.perEndpoint(lane),
                limits.perMerchant(lane), room, limits.claim());
        for (Delivery delivery : claimed) {
            slots.acquireUninterruptibly();
            lastEndpoint.put(lane, delivery.endpoint());
            var slot = new Slot(delivery.endpoint(), slots);
            threads.execute(() -> attempt(delivery, slot));
        }
        return claimed.size();
    }

    /** Whatever goes wrong, the claim ends by itself and the delivery is sent again, under the same id. */
    private void attempt(Delivery delivery, Slot slot) {
        // Again and again: there may be room among the slow ones only later.
        ScheduledFuture<?> slowNow =
                watch.scheduleWithFixedDelay(slot::isSlow, SLOW.toMillis(), SLOW.toMillis(), TimeUnit.MILLISECONDS);
        try {
            Answer answer = meters.timed(() -> sender.send(delivery));
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
            slowNow.cancel(false);
            slot.free();
        }
    }

    /** The place that a try takes. A slow one takes its place among the slow ones, so that those who answer at once do not wait. */
    private final class Slot {

        private final String endpoint;
        private Semaphore taken;
        private boolean free;

        Slot(String endpoint, Semaphore taken) {
            this.endpoint = endpoint;
            this.taken = taken;
            inFlight.merge(endpoint, 1, Integer::sum);
        }

        @SuppressWarnings("ReferenceEquality")
        synchronized void isSlow() {
            if (!free && taken != roomForSlow && roomForSlow.tryAcquire()) {
                taken.release();
                taken = roomForSlow;
                slow.merge(endpoint, 1, Integer::sum);
            }
        }

        @SuppressWarnings("ReferenceEquality")
        synchronized void free() {
            free = true;
            if (taken == roomForSlow) {
                slow.computeIfPresent(endpoint, (id, tries) -> tries == 1 ? null : tries - 1);
            }
            inFlight.computeIfPresent(endpoint, (id, tries) -> tries == 1 ? null : tries - 1);
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
