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
final class StripeApi implements PspApi<StripeCall, StripeChange, StripeAnswer> {
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
    public StripeCall read(HttpRequest request, Instant at, boolean outage) {
        Credentials.Account account = credentials.check(request);
        if (outage) {
            throw StripeRefusal.beforeExecution(ApiError.of(503, "api_error", "Stripe is temporarily unavailable."));
        }
        StripeCall call = StripeCall.of(request, at);
        if (account == Credentials.Account.OF_ANOTHER_ACCOUNT) {
            throw StripeRefusal.instead(AnotherAccount.answer(call));
        }
        return call;
    }

    @Override
    public StripeRefusal keyInUse(String key) {
        return StripeRefusal.beforeExecution(ApiError.invalidRequest(409, "There is currently another in-progress request using this "
                + "Idempotent Key (that probably means you submitted twice, and the other request is still going through): " + key
                + ". Please try again later.").code("idempotency_key_in_use"));
    }

    @Override
    public StripeRefusal otherRequest(String key) {
        return StripeRefusal.beforeExecution(ApiError.of(400, "idempotency_error", "Keys for idempotent requests can only be used with the "
                + "same parameters they were first used with. Try using a key other than '" + key
                + "' if you meant to execute a different request."));
    }

    @Override
    public StripeAnswer refused(int status) {
        return StripeAnswer.error(status == 429
                ? ApiError.invalidRequest(429, "Request rate limit exceeded. Learn more about rate limits here "
                        + "https://stripe.com/docs/rate-limits.").code("rate_limit")
                : ApiError.invalidRequest(status, "This request was refused on purpose, as " + status + " is."));
    }

    @Override
    public StripeAnswer broken() {
        return StripeAnswer.error(ApiError.of(500, "api_error", "An unknown error occurred. The result of this request is not known."));
    }

    @Override
    public Optional<String> paymentToLock(StripeCall call) {
        return switch (call.operation()) {
            case CONFIRM, CANCEL, UPDATE -> Optional.of(call.target());
            case REFUND -> refunds.intent(call.form());
            case CREATE, RETRIEVE, LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, RETRIEVE_DISPUTE, LIST_CHARGES, RETRIEVE_CHARGE,
                    LIST_BALANCE ->
                Optional.empty();
        };
    }

    @Override
    public Map<String, String> about(StripeCall call) {
        return switch (call.operation()) {
            case CREATE -> call.form().map("metadata");
            case REFUND -> {
                Map<String, String> both = new HashMap<>(refunds.intent(call.form()).map(this::metadata).orElse(Map.of()));
                both.putAll(call.form().map("metadata"));
                yield both;
            }
            case CONFIRM, CANCEL, UPDATE, RETRIEVE -> metadata(call.target());
            case LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, RETRIEVE_DISPUTE, LIST_CHARGES, RETRIEVE_CHARGE, LIST_BALANCE -> Map.of();
        };
    }

    private Map<String, String> metadata(String intent) {
        return objects.intent(intent).map(PaymentIntent::metadata).orElse(Map.of());
    }

    @Override
    public Executed<StripeChange, StripeAnswer> execute(StripeCall call) {
        try {
            return expanded(perform(call), call);
        } catch (StripeRefusal refusal) {
            if (refusal.executed()) {
                return Executed.nothingBut(refusal.answer());
            }
            throw refusal;
        }
    }

    private Executed<StripeChange, StripeAnswer> perform(StripeCall call) {
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
            case RETRIEVE_DISPUTE -> Executed.nothingBut(reads.dispute(call));
            case LIST_REFUNDS -> Executed.nothingBut(reads.refunds(call));
            case RETRIEVE_CHARGE -> Executed.nothingBut(reads.charge(call));
            case LIST_CHARGES -> Executed.nothingBut(reads.charges(call));
            case LIST_BALANCE -> Executed.nothingBut(reads.balance(call));
        };
    }

    private Executed<StripeChange, StripeAnswer> expanded(Executed<StripeChange, StripeAnswer> executed, StripeCall call) {
        List<String> wanted = call.form().list("expand");
        if (executed.answer() instanceof StripeAnswer.Intent(PaymentIntent intent, Optional<StripeCharge> ignored)
                && wanted.contains("latest_charge")) {
            Optional<StripeCharge> charge = executed.change().flatMap(StripeChange::charge)
                    .or(() -> intent.latestCharge().flatMap(objects::charge));
            return new Executed<>(new StripeAnswer.Intent(intent, charge), executed.change());
        }
        return executed;
    }

    @Override
    public StripeAnswer stating(StripeAnswer answer, long amount) {
        return switch (answer) {
            case StripeAnswer.Intent(PaymentIntent intent, Optional<StripeCharge> charge) ->
                new StripeAnswer.Intent(intent.withAmount(amount), charge);
            case StripeAnswer.Refunded(StripeRefund refund) -> new StripeAnswer.Refunded(refund.withAmount(amount));
            case StripeAnswer.Disputed ignored -> answer;
            case StripeAnswer.Charged ignored -> answer;
            case StripeAnswer.Failure ignored -> answer;
            case StripeAnswer.Page ignored -> answer;
            case StripeAnswer.Booked ignored -> answer;
        };
    }

    @Override
    public Optional<String> requestId() {
        return Optional.of(Ids.next("req_", 14));
    }

    @Override
    public HttpAnswer.Full replay(Keys.FrozenAnswer<StripeAnswer> frozen, HttpRequest request, Optional<String> requestId) {
        return frozen.answer().to(request, requestId)
                .with("Original-Request", frozen.requestId().orElseThrow())
                .with("Idempotent-Replayed", "true");
    }

    /** What Stripe answers to the key of an account that owns nothing: our payments, payment methods and customers do not exist there. */
    private static final class AnotherAccount {
        private AnotherAccount() {}

        static StripeAnswer answer(StripeCall call) {
            return switch (call.operation()) {
                case CREATE -> missing("PaymentMethod", call.form().text("payment_method").orElse(""), "payment_method", 400);
                case CONFIRM, CANCEL, RETRIEVE, UPDATE -> missing("payment_intent", call.target(), "intent", 404);
                case RETRIEVE_REFUND -> missing("refund", call.target(), "id", 404);
                case RETRIEVE_DISPUTE -> missing("dispute", call.target(), "dispute", 404);
                case RETRIEVE_CHARGE -> missing("charge", call.target(), "id", 404);
                case REFUND, LIST_REFUNDS ->
                    missing("payment_intent", call.form().text("payment_intent").orElse(""), "payment_intent", 404);
                case SEARCH -> new StripeAnswer.Page(call.path(), List.of(), false, Optional.empty(), true);
                case LIST, LIST_CHARGES, LIST_BALANCE -> new StripeAnswer.Page(call.path(), List.of(), false, Optional.empty(), false);
            };
        }

        private static StripeAnswer missing(String what, String id, String param, int status) {
            return Parameters.missing(what, id, param, status).answer();
        }
    }
}
