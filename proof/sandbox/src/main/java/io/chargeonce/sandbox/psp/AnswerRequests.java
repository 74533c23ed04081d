// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * What each request to a PSP's API meets, in this order: who calls, is there an outage, which endpoint, has the key been used,
 * which fault, execute, answer. Any thread; no lock is held during a pause.
 */
final class AnswerRequests<K extends SandboxCall<K>, C extends PspChange, A extends PspAnswer> {
    private final PspApi<K, C, A> api;
    private final PspLedger<C, A> ledger;
    private final FaultRules rules;
    private final Outage outage;
    private final ExecuteCalls<K, C, A> execution;
    private final InstantSource clock;

    AnswerRequests(PspApi<K, C, A> api, PspLedger<C, A> ledger, LockStripes locks, FaultRules rules, Outage outage, InstantSource clock) {
        this.api = api;
        this.ledger = ledger;
        this.rules = rules;
        this.outage = outage;
        this.execution = new ExecuteCalls<>(api, ledger, locks);
        this.clock = clock;
    }

    HttpAnswer answer(HttpRequest request) {
        Optional<String> requestId = api.requestId();
        Instant now = clock.instant();
        try {
            K call = api.read(request, now, outage.isOn(now));
            return call.key().isEmpty() ? first(request, requestId, call) : answer(request, requestId, call, call.key().get());
        } catch (PspRefusal refusal) {
            PspAnswer answer = refusal.answer();
            log(request, answer.status(), LoggedRequest.Handling.REFUSED, Optional.empty());
            return answer.to(request, requestId);
        }
    }

    private HttpAnswer answer(HttpRequest request, Optional<String> requestId, K call, String key) {
        return switch (ledger.keys().begin(key, call.fingerprint(), call.at())) {
            case Keys.Found.Fresh<A> ignored -> first(request, requestId, call);
            case Keys.Found.Replay<A>(Keys.FrozenAnswer<A> frozen) -> replay(request, requestId, call, frozen);
            case Keys.Found.InUse<A> ignored -> throw api.keyInUse(key);
            case Keys.Found.OtherRequest<A> ignored -> throw api.otherRequest(key);
        };
    }

    private HttpAnswer first(HttpRequest request, Optional<String> requestId, K call) {
        Optional<Fault> fault = rules.take(call.operation(), false, () -> api.about(call));
        Optional<A> executed = Optional.empty();
        try {
            Optional<HttpAnswer> instead = instead(fault, request, requestId);
            if (instead.isPresent()) {
                log(request, status(instead.get()), LoggedRequest.Handling.REFUSED, fault);
                return instead.get();
            }
            executed = Optional.of(execution.execute(call.executedAt(clock.instant()), fault, requestId));
        } finally {
            if (executed.isEmpty()) {
                // Stopped before it was executed, by a refusal or by an unexpected error: the same key may be sent again.
                call.key().ifPresent(ledger.keys()::giveUp);
            }
        }
        PspAnswer answer = fault.isPresent() && fault.get() instanceof Fault.TransientAfter ? api.transientError() : executed.get();
        return FaultyWire.after(fault, answer.to(request, requestId));
    }

    private HttpAnswer replay(HttpRequest request, Optional<String> requestId, K call, Keys.FrozenAnswer<A> frozen) {
        Optional<Fault> fault = rules.take(call.operation(), true, () -> api.about(call));
        Optional<HttpAnswer> instead = instead(fault, request, requestId);
        LoggedRequest.Handling handling = instead.isPresent() ? LoggedRequest.Handling.REFUSED : LoggedRequest.Handling.REPLAYED;
        log(request, instead.map(AnswerRequests::status).orElse(frozen.answer().status()), handling, fault);
        return instead.orElseGet(() -> FaultyWire.after(fault, api.replay(frozen, request, requestId)));
    }

    /** What the request meets instead of being executed, if anything. */
    private Optional<HttpAnswer> instead(Optional<Fault> fault, HttpRequest request, Optional<String> requestId) {
        if (fault.isPresent() && fault.get() instanceof Fault.TransientBefore) {
            return Optional.of(api.transientError().to(request, requestId));
        }
        return FaultyWire.before(fault, status -> api.refused(status).to(request, requestId));
    }

    /** The status in the ledger; 0 where no answer was given. */
    private static int status(HttpAnswer answer) {
        return answer instanceof HttpAnswer.Full full ? full.status() : 0;
    }

    private void log(HttpRequest request, int status, LoggedRequest.Handling handling, Optional<Fault> fault) {
        ledger.log(new LoggedRequest(clock.instant(), request.method(), request.path(), request.header("idempotency-key"), status,
                handling, fault.map(Fault::text)));
    }

    /**
     * Executes a call: works out answer and change, commits both in one journal line, and only then returns the answer. Calls about
     * one payment are executed one after another. Any thread.
     */
    private static final class ExecuteCalls<K extends SandboxCall<K>, C extends PspChange, A extends PspAnswer> {
        private final PspApi<K, C, A> api;
        private final PspLedger<C, A> ledger;
        private final LockStripes locks;

        ExecuteCalls(PspApi<K, C, A> api, PspLedger<C, A> ledger, LockStripes locks) {
            this.api = api;
            this.ledger = ledger;
            this.locks = locks;
        }

        /** Throws {@link PspRefusal} if the call is refused before it is executed; then nothing was committed. */
        A execute(K call, Optional<Fault> fault, Optional<String> requestId) {
            return api.paymentToLock(call).map(payment -> locks.locked(payment, () -> commit(call, fault, requestId)))
                    .orElseGet(() -> commit(call, fault, requestId));
        }

        private A commit(K call, Optional<Fault> fault, Optional<String> requestId) {
            boolean broken = fault.isPresent() && fault.get() instanceof Fault.FailBefore;
            Executed<C, A> executed = broken ? Executed.nothingBut(api.broken()) : api.execute(call);
            A answer = altered(executed.answer(), fault);
            var logged = new LoggedRequest(call.at(), call.method(), call.path(), call.key(), answer.status(),
                    LoggedRequest.Handling.EXECUTED, fault.map(Fault::text));
            Optional<Keys.FrozenAnswer<A>> frozen = call.key()
                    .map(key -> new Keys.FrozenAnswer<>(key, call.fingerprint(), call.at(), requestId, answer));
            ledger.commit(new PspLedger.Line<>(Optional.of(logged), executed.change(), frozen));
            return answer;
        }

        private A altered(A answer, Optional<Fault> fault) {
            if (fault.isPresent() && fault.get() instanceof Fault.FailAfter) {
                return api.broken();
            }
            if (fault.isPresent() && fault.get() instanceof Fault.WrongAmount(long amount)) {
                return api.stating(answer, amount);
            }
            return answer;
        }
    }

    /** The faults that happen around an execution: pauses, refusals at the door, and answers that do not arrive. */
    private static final class FaultyWire {
        private FaultyWire() {}

        /**
         * What the request meets instead of being executed, if anything. May pause first.
         *
         * @param refusal the PSP's way to refuse with this status
         */
        static Optional<HttpAnswer> before(Optional<Fault> fault, IntFunction<HttpAnswer.Full> refusal) {
            if (fault.isEmpty() || !(fault.get() instanceof Fault.OnTheWire onTheWire)) {
                return Optional.empty();
            }
            return switch (onTheWire) {
                case Fault.Reset() -> Optional.of(new HttpAnswer.Reset());
                case Fault.RateLimited(int seconds) -> Optional.of(refusal.apply(429).with("Retry-After", Integer.toString(seconds)));
                case Fault.Refused(int status) -> Optional.of(refusal.apply(status));
                case Fault.SlowBefore(Duration pause) -> {
                    pause(pause);
                    yield Optional.empty();
                }
                case Fault.AnswerLost ignored -> Optional.empty();
                case Fault.Truncated ignored -> Optional.empty();
                case Fault.SlowAfter ignored -> Optional.empty();
            };
        }

        /** What becomes of an answer on its way back. */
        static HttpAnswer after(Optional<Fault> fault, HttpAnswer.Full answer) {
            if (fault.isEmpty() || !(fault.get() instanceof Fault.OnTheWire onTheWire)) {
                return answer;
            }
            return switch (onTheWire) {
                case Fault.AnswerLost() -> new HttpAnswer.Closed();
                case Fault.Truncated() -> new HttpAnswer.Truncated(answer);
                case Fault.SlowAfter(Duration pause) -> {
                    pause(pause);
                    yield answer;
                }
                case Fault.Reset ignored -> answer;
                case Fault.RateLimited ignored -> answer;
                case Fault.Refused ignored -> answer;
                case Fault.SlowBefore ignored -> answer;
            };
        }

        private static void pause(Duration pause) {
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
