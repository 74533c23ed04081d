// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.reading.AwaitedOutcomes;
import io.chargeonce.ingest.reading.ReadPayment;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.payment.OperationState;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One payment request. Accepts it, and waits for its outcome if the client would rather have that. Any thread. */
public final class PostPayment {

    public static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    private static final HeaderName PREFER = HeaderNames.create("Prefer");

    private final RequestBody body;
    private final Function<AcceptRequest, Answer> accept;
    private final AwaitedOutcomes outcomes;
    private final ReadPayment readPayment;
    private final InstantSource clock;

    public PostPayment(RequestBody body, Function<AcceptRequest, Answer> accept, AwaitedOutcomes outcomes, ReadPayment readPayment,
                       InstantSource clock) {
        this.body = body;
        this.accept = accept;
        this.outcomes = outcomes;
        this.readPayment = readPayment;
        this.clock = clock;
    }

    public Answer answer(Merchant merchant, ServerRequest request) {
        return KeyHeader.read(request.headers().all(IDEMPOTENCY_KEY, List::of), RequestForm.PAYMENT)
                .answer(key -> GuardHeader.read(request)
                        .answer(guarded -> body.read(request, RequestForm.PAYMENT)
                                .answer(bytes -> PaymentBody.read(bytes)
                                        .answer(payment -> {
                                            AcceptRequest ask = AcceptRequest.of(merchant.id(), key, payment, request.remotePeer().host(),
                                                    clock.instant());
                                            return accepted(request, guarded ? ask : ask.withoutGuard());
                                        }))));
    }

    private Answer accepted(ServerRequest request, AcceptRequest ask) {
        Answer acceptance = accept.apply(ask);
        return acceptance.status() != 202 ? acceptance
                : Preference.wait(request.headers().all(PREFER, List::of))
                        .map(longest -> awaited(ask, acceptance, longest))
                        .orElse(acceptance);
    }

    private Answer awaited(AcceptRequest ask, Answer acceptance, Duration longest) {
        Answer outcome = outcomes.await(ask.merchant(), ask.id(), longest).map(settled -> outcome(ask, settled)).orElse(acceptance);
        var headers = new LinkedHashMap<>(acceptance.headers());
        headers.putAll(outcome.headers());
        headers.put("Preference-Applied", "wait=" + longest.toSeconds());
        return new Answer(outcome.status(), headers, outcome.body(), outcome.outcome());
    }

    private Answer outcome(AcceptRequest ask, AwaitedOutcomes.Settled settled) {
        return settled.state() == OperationState.SUCCEEDED ? readPayment.read(ask.merchant(), ask.id().value())
                : (settled.state() == OperationState.CANCELED ? Problems.paymentCanceled(ask.id())
                        : Problems.cardDeclined(ask.id(), settled.cause())).answer();
    }
}
