// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.webhooks.DeliveryTable.Lane;
import io.chargeonce.webhooks.DeliveryTable.Tried;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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

        /** Longer than any try, with its look-up of the name and the record of its answer. */
        Duration claim() {
            return timeout.plus(Duration.ofSeconds(30));
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /** After a try that was not sent because of us. */
    private static final Duration NOT_SENT = Duration.ofMinutes(1);
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);
    private static final int LARGEST_CLAIM = 500;

    private final DeliveryTable table;
    private final Sender sender;
    private final DeliverySchedule schedule;
    private final Limits limits;
    private final WebhookMeters meters;
    private final Map<Lane, Semaphore> free = new EnumMap<>(Lane.class);
    private final Map<Lane, String> lastEndpoint = new EnumMap<>(Lane.class);
    private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();
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
        for (Lane lane : Lane.values()) {
            free.put(lane, new Semaphore(limits.slotsOf(lane)));
            lastEndpoint.put(lane, "");
        }
    }

    /** Returns how many tries it has begun. */
    int runOnce() {
        int begun = 0;
        for (Lane lane : Lane.values()) {
            begun += begin(lane);
        }
        return begun;
    }

    private int begin(Lane lane) {
        Semaphore slots = free.get(lane);
        int room = Math.min(slots.availablePermits(), LARGEST_CLAIM);
        if (room == 0) {
            return 0;
        }
        List<Delivery> claimed = table.claim(lane, lastEndpoint.get(lane), inFlight, limits.perEndpoint(lane), room, limits.claim());
        for (Delivery delivery : claimed) {
            slots.acquireUninterruptibly();
            inFlight.merge(delivery.endpoint(), 1, Integer::sum);
            lastEndpoint.put(lane, delivery.endpoint());
            threads.execute(() -> attempt(delivery, slots));
        }
        return claimed.size();
    }

    /** Whatever goes wrong, the claim ends by itself and the delivery is sent again, under the same id. */
    private void attempt(Delivery delivery, Semaphore slots) {
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
            inFlight.computeIfPresent(delivery.endpoint(), (endpoint, tries) -> tries == 1 ? null : tries - 1);
            slots.release();
        }
    }

    private Tried tried(Delivery delivery, Answer answer) {
        return switch (answer) {
            case Answer.Delivered delivered -> new Tried(delivery, answer, "delivered", Duration.ZERO);
            case Answer.NotSent notSent -> new Tried(delivery, answer, "waiting", NOT_SENT);
            case Answer.Failed failed -> {
                Optional<Duration> pause = schedule.after(delivery.attempt());
                yield new Tried(delivery, answer, pause.isPresent() ? "waiting" : "dead", pause.orElse(Duration.ZERO));
            }
        };
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
        recording.close();
    }
}
