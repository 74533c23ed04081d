// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.kafka.TooLargeRecord;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.psp.Gateways;
import io.chargeonce.wire.Decoded;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.PoisonCause;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The path of one payment: claim, charge, decide, resolve. The loops of the main topic and of every tier hand their records to it, each on
 * its own virtual thread. A record's content is only compared with the database's row and decides nothing else, so a duplicate, a late copy
 * and a forgery end at the claim.
 */
public final class ChargeHandler implements RecordHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ChargeHandler.class);
    private static final Duration WHILE_LOCKED = Duration.ofMillis(200);
    private static final Duration UNTIL_FIXED = Duration.ofSeconds(2);

    private static final String NOT_A_MERCHANT = "?";

    private final Claims claims;
    private final AskFirst askFirst;
    private final PspExchange exchange;
    private final Gateways gateways;
    private final OutcomeRecorder resolutions;
    private final PoisonQuarantine poison;
    private final FloodGuard flood;
    private final FutureVersions newer;
    private final MeterRegistry meters;

    ChargeHandler(Claims claims, AskFirst askFirst, PspExchange exchange, Gateways gateways, OutcomeRecorder resolutions,
                  PoisonQuarantine poison, FloodGuard flood, FutureVersions newer, MeterRegistry meters) {
        this.claims = claims;
        this.askFirst = askFirst;
        this.exchange = exchange;
        this.gateways = gateways;
        this.resolutions = resolutions;
        this.poison = poison;
        this.flood = flood;
        this.newer = newer;
        this.meters = meters;
    }

    /** Returns when the record's outcome is in the database; throws only while Postgres is down. */
    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        return flood.holdBack(() -> shareOf(record)).map(Verdict::notBefore).orElseGet(() -> decode(record));
    }

    /** Its merchant; records without one share one turn. */
    @Override
    public String shareOf(ConsumerRecord<byte[], byte[]> record) {
        return Decoded.merchant(record.value()).orElse(NOT_A_MERCHANT);
    }

    /** While Postgres is down, known answers wait for it, and so does every claim. */
    @Override
    public Optional<Duration> waitedAgo() {
        return DatabaseRetry.waitedAgo();
    }

    private Verdict decode(ConsumerRecord<byte[], byte[]> record) {
        if (record instanceof TooLargeRecord tooLarge) {
            return bury(record, PoisonCause.OVERSIZED, tooLarge.told());
        }
        Decoded decoded;
        try {
            decoded = Decoded.from(record.key(), record.value());
        } catch (RuntimeException | StackOverflowError | AssertionError bug) {
            return bury(record, PoisonCause.UNPROCESSABLE, noted("decode", bug));
        }
        return switch (decoded) {
            case Decoded.Poison found -> bury(record, found.cause(), found.detail());
            case Decoded.Newer next -> newer.letWait(record, next)
                    .orElseGet(() -> bury(record, PoisonCause.WRONG_VERSION, next.detail()));
            case Decoded.Request request -> handle(record, request.record());
        };
    }

    private static Optional<Instant> at(ConsumerRecord<byte[], byte[]> record) {
        return record.timestamp() < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(record.timestamp()));
    }

    private Verdict handle(ConsumerRecord<byte[], byte[]> record, PaymentRecord request) {
        Claim claim;
        try {
            claim = claims.claim(request, record.topic(), at(record));
            if (claim instanceof Claim.AskFirst first) {
                claim = claims.claim(request, record.topic(), at(record), askFirst.ask(first.operation()));
            }
        } catch (DatabaseRefused refused) {
            // A locked row, or a schema that does not fit this version, is not the record's fault.
            return refused.isAboutTheRow() ? setBack(record, request, refused)
                    : Verdict.notBefore(refused.isPassing() ? WHILE_LOCKED : UNTIL_FIXED);
        } catch (RuntimeException bug) {
            return setBack(record, request, bug);
        }
        return follow(record, request, claim);
    }

    /** As far as we know the payment is sound, so it goes through its tiers. The record is put away only if even that fails. */
    private Verdict setBack(ConsumerRecord<byte[], byte[]> record, PaymentRecord request, RuntimeException bug) {
        Bug.mustBeOfOneRow(bug);
        String digest = noted("claim", bug);
        try {
            return follow(record, request, claims.setBack(request, digest));
        } catch (RuntimeException again) {
            Bug.mustBeOfOneRow(again);
            return bury(record, PoisonCause.UNPROCESSABLE, digest);
        }
    }

    private String noted(String where, Throwable bug) {
        meters.counter("chargeonce.bugs", "where", where).increment();
        LOG.error("Bug! One record failed here and is set aside; the others go on ({})", where, bug);
        return Bug.digest(bug);
    }

    private Verdict follow(ConsumerRecord<byte[], byte[]> record, PaymentRecord request, Claim claim) {
        return switch (claim) {
            case Claim.Claimed claimed -> charge(request.merchant(), claimed);
            case Claim.AskFirst ignored -> throw new IllegalStateException("Bug! The PSPs were asked about " + request.paymentId());
            case Claim.NotDue early -> Verdict.notBefore(early.remaining());
            case Claim.Refused refused -> bury(record, refused.cause(), refused.detail());
            case Claim.Superseded ignored -> Verdict.done();
            case Claim.Parked ignored -> Verdict.done();
            case Claim.Ended end -> {
                flood.ended(request.merchant(), end.dead());
                yield Verdict.done();
            }
        };
    }

    /** Tries one PSP after the other, until the outcome is known or no PSP is left that is well. */
    private Verdict charge(String merchant, Claim.Claimed first) {
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
            // What was found at a PSP is older than the loss, and the next attempt after it may be lost too.
            Optional<Failover.FailoverRequest> failover =
                    attempt.found().isPresent() ? Optional.empty() : Optional.of(Failover.FailoverRequest.after(tried));
            OutcomeRecorder.Resolved resolved = resolutions.resolve(merchant, new OutcomeRecorder.Resolution(attempt.accepted(),
                    attempt.token(), attempt.call().key(), "call", outcome, failedByItself, failover, Optional.empty()));
            resolved.state().ifPresent(state -> countEnd(merchant, state));
            claimed = resolved.elsewhere();
        }
        return Verdict.done();
    }

    private Outcome send(Claim.Claimed claimed) {
        if (claimed.found().isPresent()) {
            return exchange.ask(claimed.call());
        }
        Outcome outcome = exchange.send(claimed.call(), claimed.progress().tier() > 0);
        // A PSP that answered 500 usually knows the outcome a moment later, so ask once before the resolver takes over.
        return outcome instanceof Outcome.Unknown unknown && unknown.answersWithin().isEmpty()
                ? unknown.foundOut(exchange.ask(claimed.call().withReference(unknown.pspReference()))) : outcome;
    }

    private void countEnd(String merchant, OperationState state) {
        switch (state) {
            case SUCCEEDED, FAILED, DECLINED, CANCELED -> flood.ended(merchant, false);
            case DEAD -> flood.ended(merchant, true);
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> {
            }
        }
    }

    private Verdict bury(ConsumerRecord<byte[], byte[]> record, PoisonCause cause, String detail) {
        // After a restore there may be many, and payments wait behind them. No producer's mistake and no PSP makes them.
        if (cause != PoisonCause.FORGOTTEN_PAYMENT) {
            flood.ended(shareOf(record), true);
        }
        return poison.keep(record, cause, detail);
    }
}
