// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.PspApi;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything under {@code /v1} that is Stripe's own. Any thread. */
final class StripeApi implements PspApi<Call, Change, Answer> {
    private final Credentials credentials;
    private final StripeObjects objects;
    private final IntentEndpoints intents;
    private final RefundEndpoint refunds;
    private final Reads reads;

    StripeApi(Credentials credentials, StripeObjects objects, Reads reads) {
        this.credentials = credentials;
        this.objects = objects;
        this.intents = new IntentEndpoints(objects);
        this.refunds = new RefundEndpoint(objects);
        this.reads = reads;
    }

    @Override
    public Call read(HttpRequest request, Instant at, boolean outage) {
        Credentials.Account account = credentials.check(request);
        if (outage) {
            throw Refusal.beforeExecution(ApiError.of(503, "api_error", "Stripe is temporarily unavailable."));
        }
        Call call = Call.of(request, at);
        if (account == Credentials.Account.OF_ANOTHER_ACCOUNT) {
            throw Refusal.instead(AnotherAccount.answer(call));
        }
        return call;
    }

    @Override
    public Refusal keyInUse(String key) {
        return Refusal.beforeExecution(ApiError.invalidRequest(409, "There is currently another in-progress request using this "
                + "Idempotent Key (that probably means you submitted twice, and the other request is still going through): " + key
                + ". Please try again later.").code("idempotency_key_in_use"));
    }

    @Override
    public Refusal otherRequest(String key) {
        return Refusal.beforeExecution(ApiError.of(400, "idempotency_error", "Keys for idempotent requests can only be used with the "
                + "same parameters they were first used with. Try using a key other than '" + key
                + "' if you meant to execute a different request."));
    }

    @Override
    public Answer refused(int status) {
        return Answer.error(status == 429
                ? ApiError.invalidRequest(429, "Request rate limit exceeded. Learn more about rate limits here "
                        + "https://stripe.com/docs/rate-limits.").code("rate_limit")
                : ApiError.invalidRequest(status, "This request was refused on purpose, as " + status + " is."));
    }

    @Override
    public Answer broken() {
        return Answer.error(ApiError.of(500, "api_error", "An unknown error occurred. The result of this request is not known."));
    }

    @Override
    public Optional<String> paymentToLock(Call call) {
        return switch (call.operation()) {
            case CONFIRM, CANCEL, UPDATE -> Optional.of(call.target());
            case REFUND -> refunds.intent(call.form());
            case CREATE, RETRIEVE, LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, LIST_CHARGES, RETRIEVE_CHARGE, LIST_BALANCE ->
                Optional.empty();
        };
    }

    @Override
    public Map<String, String> about(Call call) {
        return switch (call.operation()) {
            case CREATE -> call.form().map("metadata");
            case REFUND -> {
                Map<String, String> both = new HashMap<>(refunds.intent(call.form()).map(this::metadata).orElse(Map.of()));
                both.putAll(call.form().map("metadata"));
                yield both;
            }
            case CONFIRM, CANCEL, UPDATE, RETRIEVE -> metadata(call.target());
            case LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, LIST_CHARGES, RETRIEVE_CHARGE, LIST_BALANCE -> Map.of();
        };
    }

    private Map<String, String> metadata(String intent) {
        return objects.intent(intent).map(PaymentIntent::metadata).orElse(Map.of());
    }

    @Override
    public Executed<Change, Answer> execute(Call call) {
        try {
            return expanded(perform(call), call);
        } catch (Refusal refusal) {
            if (refusal.executed()) {
                return Executed.nothingBut(refusal.answer());
            }
            throw refusal;
        }
    }

    private Executed<Change, Answer> perform(Call call) {
        return switch (call.operation()) {
            case CREATE -> intents.create(call);
            case CONFIRM -> intents.confirm(call);
            case CANCEL -> intents.cancel(call);
            case UPDATE -> intents.update(call);
            case REFUND -> refunds.refund(call);
            case RETRIEVE -> Executed.nothingBut(reads.intent(call));
            case LIST -> Executed.nothingBut(reads.intents(call));
            case SEARCH -> Executed.nothingBut(reads.search(call));
            case RETRIEVE_REFUND -> Executed.nothingBut(reads.refund(call));
            case LIST_REFUNDS -> Executed.nothingBut(reads.refunds(call));
            case RETRIEVE_CHARGE -> Executed.nothingBut(reads.charge(call));
            case LIST_CHARGES -> Executed.nothingBut(reads.charges(call));
            case LIST_BALANCE -> Executed.nothingBut(reads.balance(call));
        };
    }

    private Executed<Change, Answer> expanded(Executed<Change, Answer> executed, Call call) {
        List<String> wanted = call.form().list("expand");
        if (executed.answer() instanceof Answer.Intent(PaymentIntent intent, Optional<Charge> ignored)
                && wanted.contains("latest_charge")) {
            Optional<Charge> charge = executed.change().flatMap(Change::charge)
                    .or(() -> intent.latestCharge().flatMap(objects::charge));
            return new Executed<>(new Answer.Intent(intent, charge), executed.change());
        }
        return executed;
    }

    @Override
    public Answer stating(Answer answer, long amount) {
        return switch (answer) {
            case Answer.Intent(PaymentIntent intent, Optional<Charge> charge) -> new Answer.Intent(intent.withAmount(amount), charge);
            case Answer.Refunded(Refund refund) -> new Answer.Refunded(refund.withAmount(amount));
            case Answer.Charged ignored -> answer;
            case Answer.Failure ignored -> answer;
            case Answer.Page ignored -> answer;
            case Answer.Booked ignored -> answer;
        };
    }

    @Override
    public Optional<String> requestId() {
        return Optional.of(Ids.next("req_", 14));
    }

    @Override
    public HttpAnswer.Full replay(Keys.FrozenAnswer<Answer> frozen, HttpRequest request, Optional<String> requestId) {
        return frozen.answer().to(request, requestId)
                .with("Original-Request", frozen.requestId().orElseThrow())
                .with("Idempotent-Replayed", "true");
    }
}
