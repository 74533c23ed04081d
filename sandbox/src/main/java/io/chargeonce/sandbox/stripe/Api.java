// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.FaultyWire;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Outage;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Everything under {@code /v1}: who calls, is there an outage, which endpoint, has the key been used, which fault, execute,
 * answer. Any thread; no lock is held during a pause.
 */
final class Api {
    private final Credentials credentials;
    private final InstantSource clock;
    private final Outage outage;
    private final Keys<FrozenAnswer> keys;
    private final FaultRules rules;
    private final Execution execution;
    private final StripeLedger books;

    Api(Credentials credentials, InstantSource clock, Outage outage, Keys<FrozenAnswer> keys, FaultRules rules,
        Execution execution, StripeLedger books) {
        this.credentials = credentials;
        this.clock = clock;
        this.outage = outage;
        this.keys = keys;
        this.rules = rules;
        this.execution = execution;
        this.books = books;
    }

    HttpAnswer answer(HttpRequest request) {
        String requestId = Ids.next("req_", 14);
        Instant now = clock.instant();
        try {
            Credentials.Account whose = credentials.check(request);
            if (outage.isOn(now)) {
                throw Refusal.beforeExecution(ApiError.of(503, "api_error", "Stripe is temporarily unavailable."));
            }
            Call call = Call.of(request, now);
            if (whose == Credentials.Account.OF_ANOTHER_ACCOUNT) {
                Answer answer = AnotherAccount.answer(call);
                log(request, answer.status(), LoggedRequest.Handling.REFUSED, Optional.empty());
                return Headers.answer(request, requestId, answer);
            }
            return answer(request, requestId, call);
        } catch (Refusal refusal) {
            log(request, refusal.error().status(), LoggedRequest.Handling.REFUSED, Optional.empty());
            return Headers.answer(request, requestId, refusal.answer());
        }
    }

    private HttpAnswer answer(HttpRequest request, String requestId, Call call) {
        if (call.key().isEmpty()) {
            return first(request, requestId, call);
        }
        String key = call.key().get();
        return switch (keys.begin(key, call.fingerprint(), call.at())) {
            case Keys.Found.Fresh<FrozenAnswer> ignored -> first(request, requestId, call);
            case Keys.Found.Replay<FrozenAnswer> replay -> replay(request, requestId, call, replay.answer());
            case Keys.Found.InUse<FrozenAnswer> ignored -> throw Refusal.beforeExecution(ApiError.invalidRequest(409,
                    "There is currently another in-progress request using this Idempotent Key (that probably means you "
                            + "submitted twice, and the other request is still going through): " + key + ". Please try again "
                            + "later.")
                    .code("idempotency_key_in_use"));
            case Keys.Found.OtherRequest<FrozenAnswer> ignored -> throw Refusal.beforeExecution(ApiError.of(400, "idempotency_error",
                    "Keys for idempotent requests can only be used with the same parameters they were first used with. Try "
                            + "using a key other than '" + key + "' if you meant to execute a different request."));
        };
    }

    private HttpAnswer first(HttpRequest request, String requestId, Call call) {
        Optional<Fault> fault = rules.take(call.operation(), false, () -> execution.about(call));
        Optional<Answer> executed = Optional.empty();
        try {
            Optional<HttpAnswer> instead = FaultyWire.before(fault, status -> refused(request, requestId, status));
            if (instead.isPresent()) {
                log(request, status(instead.get()), LoggedRequest.Handling.REFUSED, fault);
                return instead.get();
            }
            executed = Optional.of(execution.execute(call.executedAt(clock.instant()), fault, requestId));
        } finally {
            if (executed.isEmpty()) {
                // Whatever stopped it before it was executed, an unexpected error too: the same key may be sent again.
                call.key().ifPresent(keys::giveUp);
            }
        }
        return FaultyWire.after(fault, Headers.answer(request, requestId, executed.get()));
    }

    private HttpAnswer replay(HttpRequest request, String requestId, Call call, FrozenAnswer frozen) {
        Optional<Fault> fault = rules.take(call.operation(), true, () -> execution.about(call));
        Optional<HttpAnswer> instead = FaultyWire.before(fault, status -> refused(request, requestId, status));
        LoggedRequest.Handling fate = instead.isPresent() ? LoggedRequest.Handling.REFUSED : LoggedRequest.Handling.REPLAYED;
        log(request, instead.map(Api::status).orElse(frozen.answer().status()), fate, fault);
        return instead.orElseGet(() -> FaultyWire.after(fault, Headers.replay(request, requestId, frozen)));
    }

    private static HttpAnswer.Full refused(HttpRequest request, String requestId, int status) {
        ApiError error = status == 429
                ? ApiError.invalidRequest(429, "Request rate limit exceeded. Learn more about rate limits here "
                        + "https://stripe.com/docs/rate-limits.").code("rate_limit")
                : ApiError.invalidRequest(status, "This request was refused on purpose, as " + status + " is.");
        return Headers.answer(request, requestId, Answer.error(error, Optional.empty()));
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
