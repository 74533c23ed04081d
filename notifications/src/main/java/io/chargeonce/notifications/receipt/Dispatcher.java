// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.notifications.DeliverySchedule;
import io.chargeonce.notifications.receipt.ReceiptTable.Tried;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims receipts that are due, mails them and records how it went. One worker calls {@link #runOnce}. Tries run on platform threads: the
 * look-up of a host's name blocks in the system's resolver, where a virtual thread would keep its carrier from all others.
 */
final class Dispatcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /** After a try that the server refused because of us. */
    private static final Duration NOT_SENT = Duration.ofMinutes(1);
    private static final Duration QUIET = Duration.ofSeconds(15);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);

    private final ReceiptTable table;
    private final Mailer mailer;
    private final DeliverySchedule schedule;
    private final Semaphore free;
    private final Duration timeout;
    private final ReceiptMeters meters;
    private final Coalescer<Tried, Boolean> recording;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("receipt-try-", 0).factory());

    /** @param timeout of one try */
    Dispatcher(Database database, Mailer mailer, DeliverySchedule schedule, int atOnce, Duration timeout, ReceiptMeters meters) {
        this.table = new ReceiptTable(database);
        this.mailer = mailer;
        this.schedule = schedule;
        this.free = new Semaphore(atOnce);
        this.timeout = timeout;
        this.meters = meters;
        this.recording = new Coalescer<>("receipt-results", database, 1, () -> {}, (connection, tries) -> {
            ReceiptTable.record(connection, tries);
            return tries.stream().map(tried -> true).toList();
        });
    }

    /** Returns how many tries it has begun. */
    int runOnce() {
        // While the server refuses us, one try shows whether it still does: many could lock our login.
        int room = mailer.problem().isPresent() ? Math.min(1, free.availablePermits()) : free.availablePermits();
        if (room == 0 || mailer.wasRefusedWithin(QUIET)) {
            return 0;
        }
        try {
            // Longer than any try, with the look-up of the name and the record of its answer.
            List<Receipt> claimed = table.claim(room, timeout.plus(Duration.ofSeconds(30)));
            claimed.forEach(receipt -> {
                free.acquireUninterruptibly();
                threads.execute(() -> attempt(receipt));
            });
            return claimed.size();
        } catch (DatabaseUnavailable | DatabaseRefused trouble) {
            // Its worker asks many times a second, and each failure is a line in the log.
            LockSupport.parkNanos(AFTER_TROUBLE.toNanos());
            throw trouble;
        }
    }

    /** Whatever goes wrong, the claim ends by itself and the receipt is mailed again, under the same id. */
    private void attempt(Receipt receipt) {
        try {
            Answer answer = meters.timed(() -> mailer.send(receipt));
            meters.count(answer);
            tried(receipt, answer).ifPresent(recording::ask);
            if (answer instanceof Answer.NotSent) {
                LOG.warn("Receipt {} was not mailed: {}", receipt.id(), mailer.problem().orElse(""));
            }
        } catch (RuntimeException e) {
            LOG.warn("Receipt {} was tried and the result not recorded; it is mailed again when its claim ends: {}", receipt.id(),
                    e.toString());
        } finally {
            free.release();
        }
    }

    private Optional<Tried> tried(Receipt receipt, Answer answer) {
        return switch (answer) {
            case Answer.Sent sent -> Optional.of(new Tried(receipt, answer, "sent", Duration.ZERO));
            case Answer.NotSent notSent -> Optional.of(new Tried(receipt, answer, "waiting", NOT_SENT));
            case Answer.Refused refused -> Optional.of(dead(receipt, answer));
            case Answer.Failed failed -> Optional.of(schedule.after(receipt.attempt())
                    .map(pause -> new Tried(receipt, answer, "waiting", pause)).orElseGet(() -> dead(receipt, answer)));
            case Answer.Over over -> Optional.empty();
        };
    }

    private Tried dead(Receipt receipt, Answer answer) {
        meters.countDead();
        LOG.warn("Receipt {} is dead after {} tries: {}. 'chargeonce receipt resend {}' begins again", receipt.id(), receipt.attempt(),
                answer.why().orElse(""), receipt.id());
        return new Tried(receipt, answer, "dead", Duration.ZERO);
    }

    /** Lets tries end that are under way. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(Math.min(TO_CLOSE.toMillis(), timeout.plusSeconds(2).toMillis()), TimeUnit.MILLISECONDS)) {
                LOG.warn("Some receipts are still under way; they are mailed again when their claims end");
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
        recording.close();
    }
}
