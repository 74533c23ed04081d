package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.NoticeTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.PspCall;
import io.chargeonce.psp.Webhook;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Takes what PSPs tell by themselves: signed, dropped if seen, and looked up at the PSP where that can be asked. It becomes an
 * observation of the attempt like any late answer, and the resolver or the fold makes of it what follows. Any thread.
 */
final class WebhookInbox {

    enum Taken {
        /** Recorded, or of no interest: the PSP need not send it again. */
        YES,
        /** Nothing of it is believed. */
        REFUSED,
        /** It could not be looked up now: the PSP is to send it again. */
        LATER
    }

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Database database;
    private final Gateways gateways;
    private final Exchange exchange;
    private final Topics topics;
    private final InstantSource clock;
    private final Runnable committed;
    private final MeterRegistry meters;

    WebhookInbox(Database database, Gateways gateways, Exchange exchange, Topics topics, InstantSource clock, Runnable committed,
                 MeterRegistry meters) {
        this.database = database;
        this.gateways = gateways;
        this.exchange = exchange;
        this.topics = topics;
        this.clock = clock;
        this.committed = committed;
        this.meters = meters;
    }

    /** @param psp as it came in the path; one without webhooks is refused like a forgery */
    Taken take(String psp, Function<String, Optional<String>> header, byte[] body) {
        Optional<Webhook> webhook = gateways.psps().contains(psp) ? gateways.named(psp).webhook() : Optional.empty();
        Optional<List<Notice>> notices = webhook.flatMap(reader -> reader.read(header, body, clock.instant()));
        Taken taken = notices.isEmpty() ? Taken.REFUSED
                : notices.get().stream().allMatch(notice -> take(psp, notice)) ? Taken.YES : Taken.LATER;
        meters.counter("chargeonce.psp.webhooks", "psp", webhook.isPresent() ? psp : "unknown", "taken", taken.name()).increment();
        return taken;
    }

    private record About(Attempt attempt, Operation operation) {}

    /** @return false if it is to come again */
    private boolean take(String psp, Notice notice) {
        Optional<About> about = database.withConnection(connection -> NoticeTable.isNew(connection, psp, notice.id())
                ? about(connection, psp, notice) : Optional.empty());
        if (about.isEmpty()) {
            return true;
        }
        Optional<Outcome> heard = heard(notice, about.get());
        if (notice.said().isEmpty() && heard.orElseThrow() instanceof Outcome.Unknown) {
            return false;
        }
        database.inTransaction(connection -> record(connection, psp, notice, about.get(), heard));
        committed.run();
        return true;
    }

    private static Optional<About> about(Connection connection, String psp, Notice notice) throws SQLException {
        List<Attempt> found = AttemptTable.find(connection, List.of(notice.key().value()));
        if (found.isEmpty() || !found.getFirst().psp().equals(psp)) {
            return Optional.empty();
        }
        Attempt attempt = found.getFirst();
        return Optional.of(new About(attempt, OperationTable.find(connection, attempt.operationId()).orElseThrow()));
    }

    /** Empty for what is no answer to the attempt. */
    private Optional<Outcome> heard(Notice notice, About about) {
        if (notice.said().isEmpty()) {
            return Optional.of(lookedUp(notice, about));
        }
        return switch (notice.said().get()) {
            case Notice.Ended ended -> Optional.of(judged(ended, about));
            case Notice.CaptureFailed failed -> mismatch(failed, false, about);
            case Notice.CapturedAgain again -> mismatch(again, false, about);
        };
    }

    private Outcome judged(Notice.Ended said, About about) {
        return mismatch(said, said.givesBack(), about).orElseGet(() -> {
            exchange.watch(call(about), said.outcome());
            return said.outcome();
        });
    }

    private Optional<Outcome> mismatch(Notice.Said said, boolean givesBack, About about) {
        Operation operation = about.operation();
        boolean sameWay = givesBack == (operation.kind() != OperationKind.CHARGE);
        if (sameWay && said.money().equals(Optional.of(operation.accepted().request().money()))) {
            return Optional.empty();
        }
        var mismatch = new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH, "the PSP's webhook is about %s".formatted(
                said.money().map(Money::toString).orElse("no amount")), Optional.empty());
        exchange.watch(call(about), mismatch);
        return Optional.of(mismatch);
    }

    private Outcome lookedUp(Notice notice, About about) {
        return exchange.ask(call(about).told(notice.pspReference()));
    }

    private PspCall call(About about) {
        return PspCalls.of(about.operation(), about.attempt(), gateways.named(about.attempt().psp()), false);
    }

    private boolean record(Connection connection, String psp, Notice notice, About about, Optional<Outcome> heard) throws SQLException {
        Database.waitForLocks(connection, PATIENCE);
        if (!NoticeTable.insert(connection, psp, notice.id())) {
            return true;
        }
        var locked = OperationTable.lock(connection, List.of(about.operation().id()));
        var changes = new Changes(topics);
        Operation operation = locked.rows().get(about.operation().id());
        if (heard.isPresent()) {
            LateAnswers.take(connection, operation, notice.key(), "webhook", heard.get(), locked.now(), changes);
        } else {
            CaptureNews.take(connection, operation, psp, notice, changes);
        }
        changes.write(connection);
        changes.incidents().forEach(incident -> incident.count(meters));
        return true;
    }
}
