// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.notifications.Dispatcher;
import io.chargeonce.notifications.webhook.DeliveryTable.Lane;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * Which deliveries are tried now. Endpoints that fail or are slow have a quarter of the slots, and failing ones have one each, so that they
 * delay no other.
 */
final class Lanes implements Dispatcher.Claims<Delivery> {

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
    }

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
    private final Limits limits;
    private final Map<Lane, Semaphore> free = new EnumMap<>(Lane.class);
    private final Map<Lane, String> lastEndpoint = new EnumMap<>(Lane.class);
    /** When endpoints that are slow were last met as such. One quick answer takes an endpoint out. */
    private final Map<String, Long> heldBack = new ConcurrentHashMap<>();
    private long nextHeldBack = System.nanoTime();
    private final Semaphore roomForSlow;
    private final Set<Slot> underWay = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("webhook-slow-tries").factory());

    Lanes(DeliveryTable table, Limits limits) {
        this.table = table;
        this.limits = limits;
        this.roomForSlow = new Semaphore(limits.triesAtOnce() - limits.slots());
        long pause = SLOW_IS_SEEN_WITHIN.toMillis();
        var unused = watch.scheduleWithFixedDelay(() -> underWay.forEach(Slot::look), pause, pause, TimeUnit.MILLISECONDS);
        for (Lane lane : Lane.values()) {
            free.put(lane, new Semaphore(limits.slotsOf(lane)));
            lastEndpoint.put(lane, "");
        }
    }

    @Override
    public int begin(BiConsumer<Delivery, Dispatcher.Slot> begin) {
        gather();
        int begun = begin(Lane.SOUND, begin);
        if (begun == 0 || System.nanoTime() - nextHeldBack > 0) {
            begun += begin(Lane.HELD_BACK, begin);
            nextHeldBack = System.nanoTime() + GATHERS.toNanos();
        }
        return begun;
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

    private int begin(Lane lane, BiConsumer<Delivery, Dispatcher.Slot> begin) {
        Semaphore slots = free.get(lane);
        int room = Math.min(slots.availablePermits(), LARGEST_CLAIM);
        if (room == 0) {
            return 0;
        }
        List<Delivery> claimed = table.claim(lane, heldBack(), lastEndpoint.get(lane), busy(), limits.perEndpoint(),
                limits.perMerchant(lane), room, Dispatcher.claimOf(limits.timeout()));
        for (Delivery delivery : claimed) {
            slots.acquireUninterruptibly();
            lastEndpoint.put(lane, delivery.endpoint());
            var slot = new Slot(delivery.endpoint(), slots);
            underWay.add(slot);
            begin.accept(delivery, slot);
        }
        return claimed.size();
    }

    /** The place that a try takes. A slow one takes its place among the slow ones, so that those who answer at once do not wait. */
    private final class Slot implements Dispatcher.Slot {

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

        @Override
        public synchronized void answered() {
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

        @Override
        public synchronized void free() {
            answered();
            underWay.remove(this);
            taken.release();
        }
    }

    @Override
    public void close() {
        watch.shutdownNow();
    }
}
