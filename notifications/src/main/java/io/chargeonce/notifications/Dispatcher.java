// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.notifications.SendResult.Result;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages that are due and records how it went. One worker calls {@link #runOnce}. Tries run on platform threads: the look-up of a
 * host's name blocks in the system's resolver, where a virtual thread would keep its carrier from all others.
 */
public final class Dispatcher<M extends Claimed> implements AutoCloseable {

    /** Which messages are tried now. For one thread. */
    public interface Claims<M> extends AutoCloseable {

        /**
         * Claims what is due, as far as there is room.
         *
         * @param begin takes each message, and the slot that it keeps until its try has ended
         * @return how many there were
         */
        int begin(BiConsumer<M, Slot> begin);

        @Override
        void close();
    }

    /** The place that a try takes. */
    public interface Slot {

        /** The try has its answer. What is left takes our own time: to record it. */
        default void answered() {}

        void free();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /** After a try that was not sent because of us. */
    private static final Duration NOT_SENT = Duration.ofMinutes(1);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final int FRAMES = 5;
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);

    private final Channel channel;
    private final Claims<M> claims;
    private final Function<M, SendResult> send;
    private final DeliverySchedule schedule;
    private final Duration timeout;
    private final SenderMeters meters;
    private final Coalescer<Tried<M>, Boolean> recording;
    private final ExecutorService threads;

    /**
     * @param send    sends a message, once
     * @param timeout of one try
     */
    public Dispatcher(Channel channel, Database database, MessageTable<M> table, Claims<M> claims, Function<M, SendResult> send,
                      DeliverySchedule schedule, Duration timeout, SenderMeters meters) {
        this.channel = channel;
        this.claims = claims;
        this.send = send;
        this.schedule = schedule;
        this.timeout = timeout;
        this.meters = meters;
        this.recording = new Coalescer<>(channel.noun() + "-results", database, 1, () -> {}, (connection, tries) -> {
            table.record(connection, tries);
            return tries.stream().map(tried -> true).toList();
        });
        this.threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name(channel.noun() + "-try-", 0).factory());
    }

    /** How long a claim must last: longer than any try, with its look-up of the name and the record of its answer. */
    public static Duration claimOf(Duration timeout) {
        return timeout.plus(Duration.ofSeconds(30));
    }

    /** Returns how many tries it has begun. */
    public int runOnce() {
        try {
            return claims.begin((message, slot) -> threads.execute(() -> attempt(message, slot)));
        } catch (DatabaseUnavailable | DatabaseRefused trouble) {
            // Its worker asks many times a second, and each failure is a line in the log.
            LockSupport.parkNanos(AFTER_TROUBLE.toNanos());
            throw trouble;
        }
    }

    /** Whatever goes wrong, the claim ends by itself and the message is sent again, under the same id. */
    private void attempt(M message, Slot slot) {
        try {
            SendResult answer = meters.timed(() -> sent(message));
            slot.answered();
            Optional<Tried<M>> tried = tried(message, answer);
            tried.ifPresent(recording::ask);
            boolean dead = tried.filter(one -> one.state().equals("dead")).isPresent();
            meters.count(answer.result(), dead);
            if (dead) {
                LOG.warn("{} is dead after {} tries: {}. 'chargeonce {} {}' begins again", message.named(), message.attempt(),
                        answer.error().orElse(""), channel.again(), message.id());
            }
        } catch (RuntimeException e) {
            LOG.warn("{} was tried and the result not recorded; it is sent again when its claim ends: {}", message.named(), e.toString());
        } finally {
            slot.free();
        }
    }

    /** A bug is a failed try too: otherwise its message would be sent for ever. */
    private SendResult sent(M message) {
        try {
            return send.apply(message);
        } catch (DatabaseUnavailable | DatabaseRefused ours) {
            throw ours;
        } catch (RuntimeException bug) {
            // Not its text: it may quote an address.
            LOG.error("Bug! {} cannot be sent, so this try has failed: {} at {}", message.named(), bug.getClass().getName(),
                    Arrays.stream(bug.getStackTrace()).limit(FRAMES).toList());
            return SendResult.of(Result.FAILED, "internal_error");
        }
    }

    private Optional<Tried<M>> tried(M message, SendResult answer) {
        var dead = new Tried<>(message, answer, "dead", Duration.ZERO);
        return switch (answer.result()) {
            case DELIVERED -> Optional.of(new Tried<>(message, answer, channel.sent(), Duration.ZERO));
            case NOT_SENT -> Optional.of(new Tried<>(message, answer, "waiting", NOT_SENT));
            case REFUSED -> Optional.of(dead);
            case FAILED -> Optional.of(schedule.after(message.attempt())
                    .map(usual -> new Tried<>(message, answer, "waiting", longer(usual, answer.retryAfter()))).orElse(dead));
            case OVER -> Optional.empty();
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
            if (!threads.awaitTermination(Math.min(TO_CLOSE.toMillis(), timeout.plusSeconds(2).toMillis()), TimeUnit.MILLISECONDS)) {
                LOG.warn("Some {}s are still under way; they are sent again when their claims end", channel.noun());
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
        claims.close();
        recording.close();
    }
}
