package io.chargeonce.load.universe;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** One process's way to a PSP, with everything that can happen on it. */
final class PspGateway implements Gateway, RefundGateway {

    /** A request, whichever way the money goes. */
    private record Call(String kind, String key, PaymentId payment, Money money, String card, boolean mayBeSent) {

        static Call of(Charge charge) {
            return new Call("capture", charge.key().value(), charge.payment(), charge.money(),
                    new String(charge.request(), StandardCharsets.UTF_8), charge.keyIsKnown());
        }

        static Call of(Refund refund) {
            return new Call("refund", refund.key().value(), refund.payment(), refund.money(), "", refund.mayBeSent());
        }
    }

    static final Duration CALL_BUDGET = Duration.ofMillis(500);
    private static final Duration VISIBILITY_LAG = Duration.ofSeconds(2);
    private static final Duration SLOWEST = Duration.ofMillis(40);

    private final Psp psp;

    PspGateway(Psp psp) {
        this.psp = psp;
    }

    @Override
    public String psp() {
        return psp.name;
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        return operation.accepted().request().paymentMethod().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        return capture.reference().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return Optional.of(this);
    }

    @Override
    public Duration keyLife() {
        return psp.keyLife;
    }

    @Override
    public Duration callBudget() {
        return CALL_BUDGET;
    }

    @Override
    public Duration visibilityLag() {
        return VISIBILITY_LAG;
    }

    @Override
    public Outcome charge(Charge charge) {
        return first(Call.of(charge));
    }

    @Override
    public Outcome refund(Refund refund) {
        return first(Call.of(refund));
    }

    private Outcome first(Call call) {
        Kernel kernel = Kernel.it();
        kernel.point("before the PSP is called");
        Outcome outcome = send(call);
        kernel.point("after the PSP answered");
        return outcome;
    }

    private Outcome send(Call call) {
        Kernel kernel = Kernel.it();
        Psp.Faults faults = psp.faults();
        double lot = kernel.random().nextDouble();
        kernel.sleep(kernel.between(Duration.ofMillis(1), SLOWEST));
        if (psp.isDown() || (lot -= faults.notSent()) < 0) {
            return new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "nobody listens");
        }
        if ((lot -= faults.rateLimited()) < 0) {
            return new Outcome.Failed(FailureCause.RATE_LIMITED, "too many");
        }
        if ((lot -= faults.lostBefore()) < 0) {
            return noAnswer();
        }
        if ((lot -= faults.lostAfter()) < 0) {
            execute(call);
            return noAnswer();
        }
        if ((lot -= faults.late()) < 0) {
            Strands.later(kernel.world(), () -> execute(call), kernel.after(kernel.between(CALL_BUDGET, VISIBILITY_LAG)));
            return noAnswer();
        }
        if ((lot -= faults.failsBefore()) < 0) {
            psp.fail(call.key);
            return broken();
        }
        if ((lot -= faults.failsAfter()) < 0) {
            execute(call);
            return broken();
        }
        if ((call.card.contains("broken") || lot < faults.refusesUnexecuted()) && psp.truth(call.key).isEmpty()) {
            psp.cancel(call.key);
            return new Outcome.Failed(FailureCause.PSP_UNWELL, "it could not prepare the payment");
        }
        return read(execute(call), call);
    }

    private Psp.State execute(Call call) {
        return psp.request(call.kind, call.key, call.payment, call.money, call.card);
    }

    private static Outcome noAnswer() {
        Kernel.it().sleep(CALL_BUDGET.dividedBy(2));
        return unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer in time");
    }

    private static Outcome broken() {
        return unknown(UnknownCause.PSP_ERROR, "500");
    }

    private static Outcome unknown(UnknownCause cause, String detail) {
        return new Outcome.Unknown(cause, detail, Optional.empty());
    }

    private static Outcome read(Psp.State state, Call call) {
        return switch (state) {
            case CAPTURED -> new Outcome.Charged("ref-" + call.key);
            case DECLINED -> new Outcome.Declined("lost_card", "declined", Optional.of("ref-" + call.key));
            case FAILED -> broken();
            case VOID -> new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "it was cancelled before");
        };
    }

    @Override
    public Outcome findOut(Charge charge) {
        return again(Call.of(charge));
    }

    @Override
    public Outcome findOut(Refund refund) {
        return again(Call.of(refund));
    }

    private Outcome again(Call call) {
        Kernel kernel = Kernel.it();
        kernel.point("before the PSP is asked");
        kernel.sleep(kernel.between(Duration.ofMillis(1), SLOWEST));
        Outcome outcome = asked(call);
        kernel.point("after the PSP was asked");
        return outcome;
    }

    private Outcome asked(Call call) {
        if (psp.isDown() || Kernel.it().chance(psp.faults().notSent())) {
            return unknown(UnknownCause.CONNECTION_LOST, "nobody listens");
        }
        if (Kernel.it().chance(psp.faults().lostBefore())) {
            return noAnswer();
        }
        Optional<Psp.State> found = psp.find(call.key);
        if (found.equals(Optional.of(Psp.State.FAILED))) {
            // Its 500 is frozen, but it tells by reference that nothing came of it, and cancels it.
            return cancelled(call);
        }
        if (found.isPresent()) {
            return read(found.get(), call);
        }
        if (call.mayBeSent) {
            return send(call);
        }
        // Of refunds this PSP says by reference at once whether they ever happen; of charges it may be behind.
        return call.kind.equals("refund") ? cancelled(call) : unknown(UnknownCause.NOT_FOUND, "there is no such payment");
    }

    @Override
    public Outcome fence(Charge charge) {
        Kernel.it().point("before the PSP is told to cancel");
        return psp.isDown() ? unknown(UnknownCause.CONNECTION_LOST, "nobody listens") : cancelled(Call.of(charge));
    }

    /** Unless it is too late for that. */
    private Outcome cancelled(Call call) {
        psp.cancel(call.key);
        return read(psp.truth(call.key).orElseThrow(), call);
    }
}
