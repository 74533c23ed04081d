// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.charge.call.Attempted;
import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.Webhook;
import io.chargeonce.runtime.AuthenticationFailures;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts webhooks: checks the signature, drops repeats, and looks the payment up at the PSP where possible. A webhook becomes an
 * observation of the attempt like any late answer, and the resolver or the fold decides what follows. Any thread.
 */
public final class WebhookInbox {

    public enum Taken {
        /** Recorded or irrelevant: the PSP need not send it again. */
        YES,
        /** Its content is not trusted. */
        REFUSED,
        /** It could not be looked up or recorded now: the PSP has to send it again. */
        LATER
    }

    private static final Logger LOG = LoggerFactory.getLogger(WebhookInbox.class);
    private static final String UNMATCHED = "chargeonce.psp.notices.unmatched";
    private static final String DROPPED = "chargeonce.psp.notices.dropped";
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int BATCH = 100;
    /** How many of the service's connections webhooks may use, however many come; the others are for payments. */
    private static final int MOST_CONNECTIONS = 4;
    /** How long each try waits for a locked row, with a connection. */
    private static final Duration LOCK_PATIENCE = Duration.ofMillis(20);
    /** The pauses between tries, without a connection, so that waiting for one payment takes none from the others. */
    private static final List<Duration> AGAIN_AFTER = Stream.of(100, 200, 400, 800, 1_600, 1_600).map(Duration::ofMillis).toList();

    private final Database database;
    private final Gateways gateways;
    private final PspExchange exchange;
    private final Topics topics;
    private final boolean ourReceipts;
    private final Runnable committed;
    private final MeterRegistry meters;
    private final AuthenticationFailures forgeries;
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);
    private Optional<UnmatchedNotices.Kept> lastMatched = Optional.empty();

    public WebhookInbox(Database database, Gateways gateways, PspExchange exchange, Topics topics, boolean ourReceipts,
                        Runnable committed, MeterRegistry meters) {
        this.database = database;
        this.gateways = gateways;
        this.exchange = exchange;
        this.topics = topics;
        this.ourReceipts = ourReceipts;
        this.committed = committed;
        this.meters = meters;
        this.forgeries = new AuthenticationFailures("webhooks", meters);
        gateways.psps().forEach(psp -> {
            meters.counter(UNMATCHED, "psp", psp);
            meters.counter(DROPPED, "psp", psp);
            // From the start at zero, so that the first ones are an increase.
            Stream.of(Taken.values()).forEach(taken -> count(psp, taken));
        });
    }

    /** The PSPs that may send webhooks. */
    Set<String> psps() {
        return Set.copyOf(gateways.psps());
    }

    /** @param psp as in the path; one without webhooks is refused like a forgery */
    public Taken take(String psp, Function<String, Optional<String>> header, byte[] body) {
        Optional<Webhook> webhook = gateways.psps().contains(psp) ? gateways.named(psp).webhook() : Optional.empty();
        Taken taken = webhook.map(reader -> take(psp, reader, header, body)).orElse(Taken.REFUSED);
        count(webhook.isPresent() ? psp : "unknown", taken).increment();
        return taken;
    }

    private Taken take(String psp, Webhook reader, Function<String, Optional<String>> header, byte[] body) {
        try {
            return reader.read(header, body)
                    .map(notices -> takeEach(psp, notices, other -> reads(other, header, body)) ? Taken.YES : Taken.LATER)
                    .orElse(Taken.REFUSED);
        } catch (Webhook.AskLater later) {
            LOG.warn("{} does not say which payment a webhook is about, and has to send it again", psp, later);
            return Taken.LATER;
        }
    }

    /** What this account's own reader takes for its own, by its own secret. */
    private List<Notice> reads(String psp, Function<String, Optional<String>> header, byte[] body) {
        return gateways.named(psp).webhook().flatMap(reader -> reader.read(header, body)).orElse(List.of()).stream()
                .filter(notice -> notice.account().isEmpty()).toList();
    }

    private Counter count(String psp, Taken taken) {
        return meters.counter("chargeonce.psp.webhooks", "psp", psp, "taken", taken.name());
    }

    /** Handles requests that no PSP has signed. */
    AuthenticationFailures forgeries() {
        return forgeries;
    }

    /** @throws Busy if no connection was free in time */
    private <T> T apart(Supplier<T> work) {
        boolean mine = false;
        try {
            mine = connections.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (!mine) {
                throw new Busy();
            }
            return work.get();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw new Busy();
        } finally {
            if (mine) {
                connections.release();
            }
        }
    }

    /** Too many webhooks are in work, so the PSP has to send this one again. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1;

        Busy() {
            super("all connections to Postgres that webhooks may have are in use");
        }
    }

    /** One that has to be sent again does not stop the others. */
    private boolean takeEach(String psp, List<Notice> notices, Function<String, List<Notice>> readBy) {
        return notices.stream()
                .filter(notice -> !takeNow(notice.account().isEmpty() ? psp : owner(psp, notice, readBy), notice, false)).count() == 0;
    }

    /** The PSP sends news of several accounts to one address. What is about none of ours is kept under a name that no PSP of ours has. */
    private String owner(String psp, Notice notice, Function<String, List<Notice>> readBy) {
        return gateways.psps().stream().filter(other -> !other.equals(psp))
                .filter(other -> readBy.apply(other).stream().anyMatch(own -> own.id().equals(notice.id()))).findFirst()
                .orElseGet(() -> "%s %s".formatted(psp, notice.account().orElseThrow()));
    }

    /** Whose address got it. */
    private static String receiver(String psp) {
        return psp.split(" ", 2)[0];
    }

    private boolean takeNow(String psp, Notice notice, boolean kept) {
        try {
            return take(psp, notice, kept);
        } catch (Busy later) {
            return false;
        } catch (DatabaseRefused refused) {
            if (!refused.isPassing()) {
                throw refused;
            }
            return false;
        }
    }

    /** @return false if the PSP has to send it again */
    private boolean take(String psp, Notice notice, boolean kept) {
        if (!apart(() -> database.withConnection(connection -> NoticeTable.isNew(connection, psp, notice.id())))) {
            return true;
        }
        Optional<Attempted> about = apart(() -> database.withConnection(connection -> Attempted.find(connection, psp, notice)));
        return about.isEmpty() ? !kept && keep(psp, notice) : take(psp, notice, about.get());
    }

    private boolean take(String psp, Notice notice, Attempted about) {
        Optional<Outcome> outcome = outcome(notice, about);
        if (notice.said().isEmpty() && outcome.orElseThrow() instanceof Outcome.Unknown) {
            return false;
        }
        whenItsRowIsFree(() -> apart(() -> database.inTransaction(connection -> record(connection, psp, notice, about, outcome))));
        committed.run();
        return true;
    }

    /** @throws DatabaseRefused the row stayed busy */
    private static void whenItsRowIsFree(Runnable work) {
        for (Duration pause : AGAIN_AFTER) {
            try {
                work.run();
                return;
            } catch (DatabaseRefused refused) {
                if (!refused.isRowBusy()) {
                    throw refused;
                }
            }
            sleep(pause);
        }
        work.run();
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw new Busy();
        }
    }

    /**
     * The database may have lost the attempt in a failover, and it comes back when the payment is claimed again. Only signed messages are
     * kept.
     */
    private boolean keep(String psp, Notice notice) {
        return switch (apart(() -> database.inTransaction(connection -> UnmatchedNotices.keep(connection, psp, notice)))) {
            case UnmatchedNotices.New taken -> {
                meters.counter(UNMATCHED, "psp", receiver(psp)).increment();
                LOG.error(
                        "ALERT: {} reports about attempt {} (its reference {}), but {} It is kept and matched again: see dlq summary",
                        psp, notice.key(), notice.pspReference().orElse("is missing"), gateways.psps().contains(psp)
                                ? "it is of no attempt here. Was it lost in a failover, or does another system use this account?"
                                : "no PSP here has this account. Is CHARGEONCE_PSPS wrong, or should those webhooks go to another system?");
                taken.instead().ifPresent(oldest -> reportDropped(psp, oldest));
                yield true;
            }
            case UnmatchedNotices.Known known -> true;
            case UnmatchedNotices.Full full -> {
                LOG.error(
                        "ALERT: {} messages of {} wait to be matched, and no more are kept. It has to send the one about attempt {} again",
                        UnmatchedNotices.MOST, psp, notice.key());
                yield false;
            }
        };
    }

    private void reportDropped(String psp, String oldest) {
        meters.counter(DROPPED, "psp", receiver(psp)).increment();
        LOG.error(
                "ALERT: {} messages of {} match no attempt, and the oldest is dropped: {}. Does another system use this account? Give"
                        + " each system its own account, or at least its own webhook",
                UnmatchedNotices.MOST, psp, oldest);
    }

    /** Takes the kept messages whose attempt has appeared, up to a batch. Returns how many. For one thread. */
    public int matchAgain() {
        for (String old : database.inTransaction(UnmatchedNotices::forgetOld)) {
            LOG.error("ALERT: no attempt was found for this message of a PSP within {} days, and it is dropped: {}",
                    UnmatchedNotices.KEPT.toDays(), old);
        }
        List<UnmatchedNotices.Kept> batch =
                database.withConnection(connection -> UnmatchedNotices.matched(connection, gateways.psps(), lastMatched, BATCH));
        // Messages that cannot be taken now stay, so the next pass continues after them.
        lastMatched = batch.size() < BATCH ? Optional.empty() : Optional.of(batch.getLast());
        return (int) batch.stream().filter(this::takeKept).count();
    }

    /** A bug in one message affects only that one. */
    private boolean takeKept(UnmatchedNotices.Kept kept) {
        try {
            return takeNow(kept.psp(), kept.notice(), true);
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! The kept message {} of {} could not be taken. It stays and is tried again", kept.notice().id(), kept.psp(),
                    bug);
            return false;
        }
    }

    /** Empty for a message that does not answer the attempt. */
    private Optional<Outcome> outcome(Notice notice, Attempted about) {
        if (notice.said().isEmpty()) {
            return Optional.of(lookedUp(notice, about));
        }
        return switch (notice.said().get()) {
            case Notice.Ended ended -> ended.givesBack() && about.operation().kind() == OperationKind.CHARGE ? Optional.empty()
                    : Optional.of(judged(ended, about));
            case Notice.TakenBack taken -> Optional.empty();
            case Notice.Disputed disputed -> Optional.empty();
            case Notice.CaptureFailed failed -> mismatch(failed, false, about);
            case Notice.CapturedAgain again -> mismatch(again, false, about);
        };
    }

    private Outcome judged(Notice.Ended said, Attempted about) {
        return mismatch(said, said.givesBack(), about).orElseGet(() -> {
            exchange.watch(about.query(gateways), said.outcome());
            return said.outcome();
        });
    }

    private Optional<Outcome> mismatch(Notice.Said said, boolean givesBack, Attempted about) {
        Operation operation = about.operation();
        boolean sameWay = givesBack == (operation.kind() != OperationKind.CHARGE);
        if (sameWay && said.money().equals(Optional.of(operation.accepted().request().money()))) {
            return Optional.empty();
        }
        var mismatch = new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH, "the PSP's webhook is about %s".formatted(
                said.money().map(Money::toString).orElse("no amount")), Optional.empty());
        exchange.watch(about.query(gateways), mismatch);
        return Optional.of(mismatch);
    }

    private Outcome lookedUp(Notice notice, Attempted about) {
        return exchange.ask(about.query(gateways).withReference(notice.pspReference()));
    }

    private boolean record(Connection connection, String psp, Notice notice, Attempted about, Optional<Outcome> outcome)
            throws SQLException {
        Database.waitForLocks(connection, LOCK_PATIENCE);
        UnmatchedNotices.forget(connection, psp, notice.id());
        if (!NoticeTable.insert(connection, psp, notice.id())) {
            return true;
        }
        var locked = OperationTable.lock(connection, List.of(about.operation().id()));
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        Operation operation = locked.rows().get(about.operation().id());
        if (outcome.isPresent()) {
            new LateAnswers(changes, operation).take(notice.key(), "webhook", outcome.get());
        } else {
            new CaptureWebhookHandler(changes, operation).take(notice, about.attempt().key());
        }
        changes.write();
        return true;
    }
}
