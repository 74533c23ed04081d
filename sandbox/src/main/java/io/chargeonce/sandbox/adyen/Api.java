// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.FaultyWire;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Outage;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Everything under {@code /v71}: who calls, is there an outage, which endpoint, has the key been used, which fault, execute,
 * answer. Any thread; no lock is held during a pause.
 */
final class Api {
    private final InstantSource clock;
    private final Outage outage;
    private final Keys<FrozenAnswer> keys;
    private final FaultRules rules;
    private final Execution execution;
    private final AdyenLedger books;

    Api(InstantSource clock, Outage outage, Keys<FrozenAnswer> keys, FaultRules rules, Execution execution, AdyenLedger books) {
        this.clock = clock;
        this.outage = outage;
        this.keys = keys;
        this.rules = rules;
        this.execution = execution;
        this.books = books;
    }

    HttpAnswer answer(HttpRequest request) {
        try {
            if (!request.header("x-api-key").equals(Optional.of(AdyenSettings.API_KEY))) {
                throw Refusal.UNAUTHORISED;
            }
            if (outage.isOn(clock.instant())) {
                throw Refusal.UNAVAILABLE;
            }
            return answer(request, Call.of(request, clock.instant()));
        } catch (Refusal refusal) {
            log(request, refusal.status(), LoggedRequest.Handling.REFUSED, Optional.empty());
            HttpAnswer.Full answer = http(request, refusal.answer());
            boolean sendAgain = refusal == Refusal.UNAVAILABLE || refusal == Refusal.IN_PROGRESS;
            return sendAgain ? answer.with("transient-error", "true") : answer;
        }
    }

    private HttpAnswer answer(HttpRequest request, Call call) {
        if (call.key().isEmpty()) {
            return first(request, call);
        }
        return switch (keys.begin(call.key().get(), "", call.at())) {
            case Keys.Found.Fresh<FrozenAnswer> ignored -> first(request, call);
            case Keys.Found.Replay<FrozenAnswer> replay -> replay(request, call, replay.answer().answer());
            case Keys.Found.InUse<FrozenAnswer> ignored -> throw Refusal.IN_PROGRESS;
            case Keys.Found.OtherRequest<FrozenAnswer> ignored ->
                throw new IllegalStateException("Bug! Requests with one key are not compared");
        };
    }

    private HttpAnswer first(HttpRequest request, Call call) {
        Optional<Fault> fault = rules.take(call.operation(), false, () -> execution.about(call));
        Optional<Answer> executed = Optional.empty();
        try {
            Optional<HttpAnswer> instead = instead(fault, request);
            if (instead.isPresent()) {
                log(request, status(instead.get()), LoggedRequest.Handling.REFUSED, fault);
                return instead.get();
            }
            executed = Optional.of(execution.execute(call.executedAt(clock.instant()), fault));
        } finally {
            if (executed.isEmpty()) {
                // Whatever stopped it before it was executed, an unexpected error too: the same key may be sent again.
                call.key().ifPresent(keys::giveUp);
            }
        }
        return fault.isPresent() && fault.get() instanceof Fault.TransientAfter
                ? transientError(request) : FaultyWire.after(fault, http(request, executed.get()));
    }

    private HttpAnswer replay(HttpRequest request, Call call, Answer frozen) {
        Optional<Fault> fault = rules.take(call.operation(), true, () -> execution.about(call));
        Optional<HttpAnswer> instead = instead(fault, request);
        LoggedRequest.Handling fate = instead.isPresent() ? LoggedRequest.Handling.REFUSED : LoggedRequest.Handling.REPLAYED;
        log(request, instead.map(Api::status).orElse(frozen.status()), fate, fault);
        return instead.orElseGet(() -> FaultyWire.after(fault, http(request, frozen)));
    }

    /** What the request meets instead of being executed, if anything. */
    private static Optional<HttpAnswer> instead(Optional<Fault> fault, HttpRequest request) {
        if (fault.isPresent() && fault.get() instanceof Fault.TransientBefore) {
            return Optional.of(transientError(request));
        }
        return FaultyWire.before(fault, status -> http(request, Refusal.onPurpose(status).answer()));
    }

    private static HttpAnswer.Full transientError(HttpRequest request) {
        return http(request, Refusal.BROKEN.answer()).with("transient-error", "true");
    }

    private static HttpAnswer.Full http(HttpRequest request, Answer answer) {
        var http = new HttpAnswer.Full(answer.status(), Map.of("Content-Type", "application/json;charset=utf-8"), answer.bytes());
        return request.header("idempotency-key").map(key -> http.with("idempotency-key", key)).orElse(http);
    }

    /** The status in the ledger; 0 where no answer was given. */
    private static int status(HttpAnswer answer) {
        return answer instanceof HttpAnswer.Full full ? full.status() : 0;
    }

    private void log(HttpRequest request, int status, LoggedRequest.Handling fate, Optional<Fault> fault) {
        books.commit(JournalLine.of(new LoggedRequest(clock.instant(), request.method(), request.path(),
                request.header("idempotency-key"), status, fate, fault.map(Fault::text))));
    }
}
