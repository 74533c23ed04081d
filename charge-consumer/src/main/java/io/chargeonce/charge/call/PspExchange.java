// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.payment.DeclineKind;
import io.chargeonce.payment.Declines;
import io.chargeonce.payment.OneSend;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.runtime.LogBudget;
import io.chargeonce.runtime.SteadyClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls PSPs about stored attempts. Every send is counted in the attempt's row before its first byte: the first by the claim, further ones
 * here. Any thread; holds no transaction open, and concurrent counts share a commit.
 */
public final class PspExchange implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PspExchange.class);

    private final Coalescer<AttemptTable.Send, Boolean> sends;
    private final Gateways gateways;
    private final MeterRegistry meters;
    private final PspMeters calls;
    private final Tracing tracing;
    private final LogBudget lines = new LogBudget(Duration.ofMinutes(1), new SteadyClock());

    public PspExchange(Database database, Gateways gateways, MeterRegistry meters, Tracing tracing) {
        this.sends = new Coalescer<>("send", database, 1, () -> {}, (connection, each) -> {
            Set<PspKey> counted = AttemptTable.countSends(connection, each);
            return each.stream().map(send -> counted.contains(send.key())).toList();
        });
        this.gateways = gateways;
        this.meters = meters;
        this.calls = new PspMeters(meters);
        gateways.psps().forEach(psp -> Arrays.stream(UnknownCause.values()).filter(PspExchange::isQuarantined)
                .forEach(cause -> quarantined(psp, cause)));
        this.tracing = tracing;
    }

    /**
     * The first send of an attempt that was just claimed. If the process stalled since, it sends nothing, and the PSP is not to blame.
     *
     * @param suspect whether its payment has waited in a tier: another failure of it says little about the PSP
     */
    public Outcome send(PspCall call, boolean suspect) {
        if (call.lease().hasEnded()) {
            return Lease.notSent();
        }
        Outcome answer = gateways.watched(call.gateway(), call.payment(), suspect,
                () -> watched("send", call, () -> catchingBugs(call, call::send)));
        watch(call, answer);
        return answer instanceof Outcome.Declined declined && declined.kind() == DeclineKind.ASK_FIRST
                ? ask(call.withReference(declined.pspReference()))
                : answer;
    }

    /** Asks, and sends again if the PSP still remembers the key. An answer about this send says nothing about an earlier one. */
    public Outcome ask(PspCall call) {
        Optional<Outcome> unsent = call.mayBeSent() ? count(call, !call.statusQueryMayExecute()) : Optional.empty();
        if (unsent.isPresent()) {
            return unsent.get();
        }
        Outcome answer = OneSend.judge(watched("ask", call, () -> catchingBugs(call, call::ask)), 1);
        watch(call, answer);
        return answer;
    }

    /** A fence may send the key too. */
    public Outcome fence(PspCall call) {
        return count(call, !call.fenceMayExecute())
                .orElseGet(() -> OneSend.judge(watched("fence", call, () -> catchingBugs(call, call::fence)), 1));
    }

    /** @return empty once the send is counted; otherwise the outcome, because an uncounted send is not made */
    private Optional<Outcome> count(PspCall call, boolean evenUnwanted) {
        try {
            return DatabaseRetry.insist(() -> sends.ask(new AttemptTable.Send(call.key(), evenUnwanted))) ? Optional.empty()
                    : Optional.of(decidedMeanwhile());
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            meters.counter("chargeonce.bugs", "where", "send").increment();
            LOG.error("Bug! A send of attempt {} could not be counted, so it is not made. The attempt stays unknown", call.key(), bug);
            return Optional.of(new Outcome.Unknown(UnknownCause.INTERNAL_ERROR, Bug.digest(bug), Optional.empty()));
        }
    }

    /** After a decision another attempt may follow at once. After it, a purge or a cancel no byte of this one may be sent any more. */
    private static Outcome decidedMeanwhile() {
        return new Outcome.Unknown(UnknownCause.LEASE_RAN_OUT,
                "its outcome became known in another way meanwhile, or its payment was purged or is to be canceled, so nothing was sent",
                Optional.empty());
    }

    private Outcome watched(String what, PspCall call, Supplier<Outcome> exchange) {
        String psp = call.gateway().psp();
        return tracing.span(psp + " " + what, SpanKind.CLIENT, Context.current(), () -> calls.timed(psp, what, exchange));
    }

    /** A bug of ours says nothing about the money either, and must not hide the payment. */
    private Outcome catchingBugs(PspCall call, Supplier<Outcome> exchange) {
        try {
            return Objects.requireNonNull(exchange.get());
        } catch (RuntimeException | StackOverflowError | AssertionError | LinkageError bug) {
            meters.counter("chargeonce.psp.bugs", "psp", call.gateway().psp()).increment();
            LOG.error("Bug! The gateway to {} threw on attempt {}. Whether money moved is found out as after any lost answer",
                    call.gateway().psp(),
                    call.key(), bug);
            return new Outcome.Unknown(UnknownCause.INTERNAL_ERROR, Bug.digest(bug), Optional.empty());
        }
    }

    /** Reports what people should not have to search for in a log: answers that are not trusted, and declines that no table has. */
    public void watch(PspCall call, Outcome answer) {
        String psp = call.gateway().psp();
        if (answer instanceof Outcome.Unknown unknown && isQuarantined(unknown.cause())) {
            quarantined(psp, unknown.cause()).increment();
            // A PSP that breaks may answer each attempt so.
            lines.take(psp + " " + unknown.cause()).ifPresent(more -> LOG.error(
                    "ALERT: the answer of PSP {} to attempt {} is not trusted ({}: {}). The attempt stays unknown until the PSP says "
                            + "otherwise{}",
                    psp, call.key(), unknown.cause().tag(), unknown.detail(), more));
        }
        if (answer instanceof Outcome.Declined declined && Declines.known(declined.code(), declined.advice()).isEmpty()) {
            meters.counter("chargeonce.psp.declines.unmapped", "psp", psp, "code", declined.code()).increment();
        }
    }

    private Counter quarantined(String psp, UnknownCause cause) {
        return meters.counter("chargeonce.psp.answers.quarantined", "psp", psp, "cause", cause.tag());
    }

    @Override
    public void close() {
        sends.close();
    }

    private static boolean isQuarantined(UnknownCause cause) {
        return switch (cause) {
            case KEY_MISMATCH, ANSWER_MISMATCH -> true;
            case GATEWAY_TIMED_OUT, CONNECTION_LOST, PSP_ERROR, ANSWER_UNREADABLE, STILL_PROCESSING, KEY_IN_USE, NOT_FOUND,
                    NO_ANSWER_IN_TIME, ANOTHER_SEND, CANNOT_BE_ASKED, OVERTAKEN, LEASE_RAN_OUT, INTERNAL_ERROR ->
                false;
        };
    }
}
