// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.psp.Traces;
import io.chargeonce.psp.Webhook;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;

/**
 * A PSP in memory with true idempotency: a key is executed once, and its ledger shows the moved money. Behaviours are scripted one per
 * call; without a script every charge succeeds. Any thread.
 */
final class FakePsp implements Gateway {

    /** What it has about a payment. */
    record Looking(Function<Operation, Traces> traces) implements Lookup {

        @Override
        public Traces find(Operation operation) {
            return traces.apply(operation);
        }
    }

    /** What one call does. */
    interface Behaviour {
        Outcome charge(FakePsp psp, Charge charge);
    }

    /** The process dies here. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1;
    }

    static final Behaviour SUCCEED = (psp, charge) -> psp.capture(charge);
    static final Behaviour DECLINE =
            (psp, charge) -> psp.decide(charge, new Outcome.Declined("insufficient_funds", "not enough money", Optional.empty()));
    static final Behaviour FAIL = (psp, charge) -> new Outcome.Failed(FailureCause.PSP_UNWELL, "500");
    static final Behaviour REFUSE_CONNECTION = (psp, charge) -> new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "refused");
    static final Behaviour TIME_OUT_UNEXECUTED =
            (psp, charge) -> new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty());
    static final Behaviour CAPTURE_AND_TIME_OUT = (psp, charge) -> {
        psp.capture(charge);
        return new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty());
    };
    static final Behaviour DIE_BEFORE = (psp, charge) -> {
        throw new Died();
    };
    static final Behaviour DIE_AFTER = (psp, charge) -> {
        psp.capture(charge);
        throw new Died();
    };

    private final Queue<Behaviour> script = new ArrayDeque<>();
    private final Map<PspKey, Outcome> decided = new HashMap<>();
    final List<Charge> captures = Collections.synchronizedList(new ArrayList<>());
    final List<Charge> calls = Collections.synchronizedList(new ArrayList<>());
    final List<Charge> queries = Collections.synchronizedList(new ArrayList<>());
    final FakeRefunds refunds = new FakeRefunds();
    volatile Behaviour otherwise = SUCCEED;
    final List<Charge> fenced = Collections.synchronizedList(new ArrayList<>());
    volatile boolean answersStatusQueries = true;
    /** Runs before it answers a status query. */
    volatile Runnable beforeAnswering = () -> {};
    /** The payment method whose requests cannot be rendered. */
    volatile String bugFor = "none";
    /** What their rendering throws, if it is an error. */
    volatile Optional<Error> error = Optional.empty();
    /** What it says to every status query, if anything is set. */
    volatile Optional<Outcome> answer = Optional.empty();

    volatile boolean canBeAsked = true;
    volatile boolean statusQueryMayExecute = true;
    /** Its way to find a payment's attempts without our rows. */
    volatile Optional<Lookup> lookup = Optional.empty();
    /** Runs before it says how it gives money back. */
    volatile Runnable beforeRefunds = () -> {};
    /** Runs while it processes its next status query. */
    volatile Runnable behind = () -> {};
    /**
     * The content of its next webhook, or the part whose number is its body. Its signature is the word {@code signed} in a header of that
     * name.
     */
    volatile List<Notice> tells = List.of();

    private final String name;

    FakePsp() {
        this("fake");
    }

    FakePsp(String name) {
        this.name = name;
    }

    synchronized FakePsp then(Behaviour... behaviours) {
        script.addAll(List.of(behaviours));
        return this;
    }

    /** It shows its captures to those who ask about a payment. */
    FakePsp showing() {
        lookup = Optional.of(new Looking(operation -> new Traces.Found(operation.capture().isPresent()
                ? refunds.given.stream().map(refund -> captured(refund.key(), "refund-")).toList()
                : captures.stream().filter(charge -> charge.payment().equals(operation.accepted().payment()))
                        .map(charge -> captured(charge.key(), "ref-")).toList())));
        return this;
    }

    private Traces.Trace captured(PspKey key, String prefix) {
        return new Traces.Trace(name, Optional.of(key), prefix + key, Traces.Standing.CAPTURED, true, Instant.EPOCH);
    }

    @Override
    public Optional<Lookup> lookup() {
        return lookup;
    }

    @Override
    public String psp() {
        return name;
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        if (operation.accepted().request().paymentMethod().equals(bugFor)) {
            error.ifPresent(thrown -> {
                throw thrown;
            });
            throw new IllegalStateException("Bug! Planted in the rendering of " + bugFor);
        }
        return ("charge " + operation.accepted().request().money() + " under " + key).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Duration keyLife() {
        return Duration.ofHours(23);
    }

    @Override
    public Duration callBudget() {
        return Duration.ofMillis(100);
    }

    @Override
    public Outcome charge(Charge charge) {
        Behaviour behaviour;
        synchronized (this) {
            calls.add(charge);
            behaviour = script.isEmpty() ? otherwise : script.poll();
        }
        return behaviour.charge(this, charge);
    }

    @Override
    public boolean statusQueryMayExecute() {
        return statusQueryMayExecute;
    }

    @Override
    public boolean canBeAsked() {
        return canBeAsked;
    }

    @Override
    public Optional<Webhook> webhook() {
        return Optional.of((header, body) -> header.apply("signature").filter("signed"::equals)
                .map(signed -> body.length == 0 ? tells : List.of(tells.get(body[0]))));
    }

    @Override
    public Optional<RefundGateway> refunds() {
        beforeRefunds.run();
        return Optional.of(refunds);
    }

    @Override
    public Outcome findOut(Charge charge) {
        beforeAnswering.run();
        return found(charge);
    }

    private synchronized Outcome found(Charge charge) {
        queries.add(charge);
        Runnable once = behind;
        behind = () -> {};
        once.run();
        if (answer.isPresent()) {
            return answer.get();
        }
        if (!answersStatusQueries) {
            return new Outcome.Unknown(UnknownCause.PSP_ERROR, "still down", Optional.empty());
        }
        // A status query cancels an attempt that was not executed: nothing can be captured under this key any more.
        return decided.computeIfAbsent(charge.key(), key -> new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled"));
    }

    @Override
    public Outcome fence(Charge charge) {
        fenced.add(charge);
        return new Outcome.Unknown(UnknownCause.NOT_FOUND, "no fence here", Optional.empty());
    }

    synchronized Outcome capture(Charge charge) {
        if (!decided.containsKey(charge.key())) {
            captures.add(charge);
        }
        return decided.computeIfAbsent(charge.key(), key -> new Outcome.Charged("ref-" + key));
    }

    /** Moves money regardless of this PSP's earlier answers, which true idempotency forbids. */
    Outcome captureRegardless(Charge charge) {
        captures.add(charge);
        return new Outcome.Charged("late-" + charge.key());
    }

    private synchronized Outcome decide(Charge charge, Outcome outcome) {
        return decided.computeIfAbsent(charge.key(), key -> outcome);
    }
}
