package io.chargeonce.charge;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.kafka.RecordHandler;
import io.chargeonce.kafka.Verdict;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.psp.Gateways;
import io.chargeonce.wire.Decoded;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.PoisonCause;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One payment's way, straight down: claim, charge, decide, resolve. The main topic's loop and every tier's hand their
 * records here, each on a virtual thread of its own. Nothing decides by what a record says but the comparison with the
 * database's row, so a duplicate, a late copy and a forgery end at the claim.
 */
public final class ChargeHandler implements RecordHandler {

    private static final Duration OTHERS_IN_THE_WAY = Duration.ofMillis(200);

    private final Claims claims;
    private final Exchange exchange;
    private final Gateways gateways;
    private final RetrySchedule schedule;
    private final Resolutions resolutions;
    private final PoisonBin poison;
    private final FloodGuard flood;
    private final NewerRecords newer;

    ChargeHandler(Claims claims, Exchange exchange, Gateways gateways, RetrySchedule schedule, Resolutions resolutions,
                  PoisonBin poison, FloodGuard flood, NewerRecords newer) {
        this.claims = claims;
        this.exchange = exchange;
        this.gateways = gateways;
        this.schedule = schedule;
        this.resolutions = resolutions;
        this.poison = poison;
        this.flood = flood;
        this.newer = newer;
    }

    /** Returns when the record has its fate in the database; throws only while Postgres is away. */
    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        return flood.holdBack().map(Verdict::notBefore).orElseGet(() -> decode(record));
    }

    private Verdict decode(ConsumerRecord<byte[], byte[]> record) {
        return switch (Decoded.from(record.key(), record.value())) {
            case Decoded.Poison found -> bury(record, found.cause(), found.detail());
            case Decoded.Newer next -> newer.letWait(record, next)
                    .orElseGet(() -> bury(record, PoisonCause.WRONG_VERSION, next.detail()));
            case Decoded.Request request -> handle(record, request.record());
        };
    }

    private Verdict handle(ConsumerRecord<byte[], byte[]> record, PaymentRecord request) {
        Claim claim;
        try {
            claim = claims.claim(request);
        } catch (DatabaseRefused refused) {
            // A merge of thousands or another claim that holds the row says nothing against the record.
            return refused.isPassing() ? Verdict.notBefore(OTHERS_IN_THE_WAY) : bury(record, PoisonCause.UNPROCESSABLE, refused.getMessage());
        } catch (IllegalStateException bug) {
            return bury(record, PoisonCause.UNPROCESSABLE, bug.getMessage());
        }
        return switch (claim) {
            case Claim.Claimed claimed -> charge(claimed);
            case Claim.NotDue early -> Verdict.notBefore(early.remaining());
            case Claim.Refused refused -> bury(record, refused.cause(), refused.detail());
            case Claim.Superseded ignored -> Verdict.done();
            case Claim.Parked ignored -> Verdict.done();
            case Claim.Ended end -> {
                flood.ended(end.dead());
                yield Verdict.done();
            }
        };
    }

    /** One PSP after the other, until it is known or none is left that is well. */
    private Verdict charge(Claim.Claimed first) {
        var tried = new HashSet<String>();
        boolean failedByItself = false;
        Optional<Claim.Claimed> claimed = Optional.of(first);
        while (claimed.isPresent()) {
            Claim.Claimed attempt = claimed.get();
            tried.add(attempt.call().gateway().psp());
            Instant begun = gateways.now();
            Outcome outcome = send(attempt);
            failedByItself = failedByItself || gateways.wasWellForOthers(
                    attempt.call().gateway().psp(), begun.minus(attempt.waited()));
            NextStep next = schedule.after(attempt.progress(), outcome, failedByItself);
            claimed = resolutions.resolve(new Resolutions.Resolution(attempt.operationId(), attempt.token(), attempt.call().key(), "call",
                    outcome, next, Optional.of(Failover.Ask.after(tried)), Optional.empty())).elsewhere();
            if (claimed.isEmpty()) {
                tellEnd(next);
            }
        }
        return Verdict.done();
    }

    private Outcome send(Claim.Claimed claimed) {
        Outcome outcome = exchange.send(claimed.call(), claimed.progress().tier() > 0);
        // A PSP that answered 500 usually knows a moment later, so ask once before the resolver takes over.
        return outcome instanceof Outcome.Unknown unknown
                ? unknown.foundOut(exchange.ask(claimed.call().told(unknown.pspReference()))) : outcome;
    }

    private void tellEnd(NextStep next) {
        if (next instanceof NextStep.SettleSucceeded || next instanceof NextStep.SettleDeclined || next instanceof NextStep.DeadLetter) {
            flood.ended(next instanceof NextStep.DeadLetter);
        }
    }

    private Verdict bury(ConsumerRecord<byte[], byte[]> record, PoisonCause cause, String detail) {
        flood.ended(true);
        return poison.keep(record, cause, detail);
    }
}
