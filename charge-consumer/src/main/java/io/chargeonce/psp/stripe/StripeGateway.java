// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.net.ApiMode;
import com.stripe.net.ApiResource;
import com.stripe.net.FormEncoder;
import com.stripe.net.RawRequestOptions;
import com.stripe.net.RequestOptions;
import com.stripe.param.PaymentIntentConfirmParams;
import com.stripe.param.PaymentIntentCreateParams;
import com.stripe.param.PaymentIntentSearchParams;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.psp.Webhook;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Charges cards at Stripe in two calls. The first creates the intent unconfirmed under key K, which moves no money and returns the same
 * intent for each repeat while K lives. The second confirms it by its id under a key derived from K. Later the intent's id serves for
 * status queries, and its cancellation as the fence.
 */
public final class StripeGateway implements Gateway {

    /** The account's name, unless the settings give another. */
    public static final String PSP = "stripe";

    /** Stripe keeps v1 keys for at least 24 hours; an hour is our margin. */
    private static final Duration KEY_LIFE = Duration.ofHours(23);
    /** More than clocks differ, and far less than the time after which a payment is forgotten and its key may be used again. */
    private static final Duration MARGIN = Duration.ofDays(1);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** create; then search, create, retrieve, cancel. If the confirm was sent, there is an id, and fewer status queries. */
    private static final int CALLS = 5;

    /** The customer is not present to authenticate: if the issuer requires it, it declines. */
    private static final PaymentIntentConfirmParams OFF_SESSION = PaymentIntentConfirmParams.builder().setOffSession(true).build();

    private final String name;
    private final StripeClient stripe;
    private final StripeRefunds refunds;
    private final StripeLookup lookup;
    private final Duration callTimeout;
    private final boolean sendsReceipts;
    private final Optional<Webhook> webhook;

    public StripeGateway(StripeSettings settings) {
        this.name = settings.name();
        this.callTimeout = settings.callTimeout();
        this.sendsReceipts = settings.sendsReceipts();
        this.stripe = StripeClient.builder()
                .setApiKey(settings.apiKey().get())
                .setApiBase(settings.apiBase())
                .setMaxNetworkRetries(0)
                .setHttpClient(new JdkHttpClient(CONNECT_TIMEOUT, callTimeout, settings.apiKey()))
                .build();
        this.refunds = new StripeRefunds(stripe);
        this.lookup = new StripeLookup(name, stripe);
        this.webhook = settings.webhookSecret().map(secret -> new StripeWebhook(secret, this::keyOf, new StripeDisputes(stripe)));
    }

    @Override
    public String psp() {
        return name;
    }

    @Override
    public Duration keyLife() {
        return KEY_LIFE;
    }

    @Override
    public Duration callBudget() {
        return callTimeout.multipliedBy(CALLS);
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        var accepted = operation.accepted();
        var request = accepted.request();
        PspToken token = operation.tokenAt(name);
        var params = PaymentIntentCreateParams.builder()
                .setAmount(StripeMoney.toSend(request.money()))
                .setCurrency(request.money().currency().toLowerCase(Locale.ROOT))
                .setPaymentMethod(token.method())
                .addPaymentMethodType("card")
                .putMetadata("payment_id", accepted.payment().value())
                .putMetadata("attempt_key", key.value())
                .putMetadata("merchant", accepted.merchant());
        // It knows its own customers only, and refuses others.
        token.customer().filter(name -> token.isStored() || name.startsWith("cus_")).ifPresent(params::setCustomer);
        request.receiptEmail().filter(email -> sendsReceipts).ifPresent(params::setReceiptEmail);
        request.description().ifPresent(params::setDescription);
        request.reference().ifPresent(reference -> params.putMetadata("reference", reference));
        return FormEncoder.createQueryString(params.build().toMap()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome charge(Charge charge) {
        if (charge.lease().hasEnded()) {
            return Lease.notSent();
        }
        PaymentIntent intent;
        try {
            intent = create(charge);
        } catch (StripeException e) {
            return StripeErrors.whilePreparing(e);
        }
        if (charge.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            var once = RequestOptions.builder().setIdempotencyKey(charge.key().value() + "-confirm").build();
            return read(stripe.v1().paymentIntents().confirm(intent.getId(), OFF_SESSION, once), charge);
        } catch (StripeException e) {
            return StripeErrors.whileConfirming(e, intent.getId());
        }
    }

    /** A status query never confirms an intent that it creates again: it cancels it. */
    @Override
    public boolean statusQueryMayExecute() {
        return false;
    }

    @Override
    public Outcome findOut(Charge charge) {
        if (charge.pspReference().isPresent()) {
            return retrieved(charge.pspReference().get(), charge);
        }
        try {
            Optional<PaymentIntent> found = search(charge);
            if (found.isPresent()) {
                return read(found.get(), charge);
            }
        } catch (StripeException e) {
            if (!charge.mayBeSent()) {
                return StripeErrors.whileAsking(e, Optional.empty());
            }
        }
        return charge.mayBeSent() ? byItsKey(charge)
                : new Outcome.Unknown(UnknownCause.NOT_FOUND, "Stripe finds no payment with this attempt_key", Optional.empty());
    }

    /**
     * Finds the intent by its metadata if no id is known. This comes before the key: a key that should live by our clock may be forgotten,
     * and then stands for another payment. Search lags behind, and by more in an outage, so that it finds nothing says nothing.
     */
    private Optional<PaymentIntent> search(Charge charge) throws StripeException {
        var query = PaymentIntentSearchParams.builder().setQuery("metadata['attempt_key']:'%s'".formatted(charge.key())).build();
        return stripe.v1().paymentIntents().search(query).getData().stream().filter(intent -> !isOlder(intent, charge))
                .min(Comparator.comparingInt(StripeGateway::saysLittle));
    }

    /** Made long before this attempt: for a payment that was forgotten, and whose key was used again. */
    static boolean isOlder(PaymentIntent intent, Charge charge) {
        return intent.getCreated() != null && Instant.ofEpochSecond(intent.getCreated()).isBefore(charge.firstSent().minus(MARGIN));
    }

    /** A fence may have created a second one, which is cancelled and says nothing about the first. */
    private static int saysLittle(PaymentIntent intent) {
        return "succeeded".equals(intent.getStatus()) ? 0 : isCancelled(intent) ? 2 : 1;
    }

    /**
     * Creating it again moves no money. It returns the intent of the key, or makes one if there is none. Once that intent is cancelled, any
     * worker that still holds this attempt gets it from its own create, and cannot confirm it.
     */
    private Outcome byItsKey(Charge charge) {
        if (charge.lease().hasEnded()) {
            return Lease.notAsked(Optional.empty());
        }
        try {
            return retrieved(create(charge).getId(), charge);
        } catch (JdkHttpClient.FrozenFailure e) {
            return new Outcome.Failed(FailureCause.PSP_UNWELL, "Stripe failed this attempt before there was a payment to confirm");
        } catch (StripeException e) {
            return StripeErrors.whileAsking(e, Optional.empty());
        }
    }

    private Outcome retrieved(String id, Charge charge) {
        try {
            return read(stripe.v1().paymentIntents().retrieve(id), charge);
        } catch (StripeException e) {
            return StripeErrors.whileAsking(e, Optional.of(id));
        }
    }

    /**
     * Creates an intent under the forgotten key and cancels it: a worker that still holds this attempt gets it, and cannot confirm it. That
     * says nothing about an older intent, which search may not show even now. But this one is the younger. When search shows it and no
     * other, the next status query finds out that there is no other.
     */
    @Override
    public Outcome fence(Charge charge) {
        Outcome now = byItsKey(charge);
        return now instanceof Outcome.Failed failed
                ? new Outcome.Unknown(UnknownCause.NOT_FOUND,
                        "no charge can follow under this key (%s); until Stripe's search shows that too, an older one may be hidden"
                                .formatted(failed.detail()),
                        Optional.empty())
                : now;
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(lookup);
    }

    @Override
    public Optional<Webhook> webhook() {
        return webhook;
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return Optional.of(refunds);
    }

    /** An intent that this account does not have is no answer: the API key may be another account's. */
    private Optional<PspKey> keyOf(String intent) {
        try {
            return Optional.ofNullable(stripe.v1().paymentIntents().retrieve(intent).getMetadata())
                    .flatMap(metadata -> PspKey.parse(metadata.getOrDefault("attempt_key", "")));
        } catch (StripeException e) {
            throw new Webhook.AskLater(e);
        }
    }

    /** The same bytes under the same key: moves no money, and returns the same intent however often it is sent. */
    PaymentIntent create(Charge charge) throws StripeException {
        var once = RawRequestOptions.builder().setIdempotencyKey(charge.key().value()).build();
        var answer = stripe.rawRequest(ApiResource.RequestMethod.POST, "/v1/payment_intents",
                new String(charge.request(), StandardCharsets.UTF_8), once);
        try {
            return (PaymentIntent) stripe.deserialize(answer.body(), ApiMode.V1);
        } catch (RuntimeException e) { // not JSON, or another object
            throw new ApiException("Stripe's answer is not a payment intent", answer.requestId(), null, answer.code(), e);
        }
    }

    private Outcome read(PaymentIntent intent, Charge charge) throws StripeException {
        if (isOlder(intent, charge)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Stripe answered about a payment from long before this attempt: %s. Was "
                            .formatted(intent.getId()) + "its key used for another payment, which is forgotten here?",
                    Optional.empty());
        }
        if (!isAbout(charge, intent)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Stripe answered about another amount, currency or payment: " + intent.getId(), Optional.of(intent.getId()));
        }
        return switch (String.valueOf(intent.getStatus())) {
            case "succeeded" -> new Outcome.Charged(intent.getId());
            case "requires_payment_method" -> declined(intent);
            case "canceled" -> unexecuted(intent);
            // Nothing has moved yet, and only we could move it on: cancel it there, and trust only Stripe's own confirmation.
            case "requires_confirmation" -> unexecuted(cancel(intent));
            case "requires_action" -> isCancelled(cancel(intent))
                    ? new Outcome.Declined("authentication_required", "the customer would have to authenticate",
                            Optional.of(intent.getId()))
                    : undecided(intent);
            default -> undecided(intent);
        };
    }

    /** One of our confirmations may have come between the status query and the cancellation. A decline stays a decline. */
    private static Outcome unexecuted(PaymentIntent intent) {
        if (!isCancelled(intent)) {
            return undecided(intent);
        }
        return intent.getLastPaymentError() == null
                ? new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled at Stripe before it was executed")
                : declined(intent);
    }

    private static boolean isAbout(Charge charge, PaymentIntent intent) {
        boolean sameMoney = StripeMoney.isSaid(charge.money(), intent.getAmount(), intent.getCurrency());
        boolean wholeAmount = !"succeeded".equals(intent.getStatus()) || Objects.equals(intent.getAmountReceived(), intent.getAmount());
        return sameMoney && wholeAmount && intent.getMetadata() != null
                && charge.payment().value().equals(intent.getMetadata().get("payment_id"))
                && charge.key().value().equals(intent.getMetadata().get("attempt_key"));
    }

    private static Outcome declined(PaymentIntent intent) {
        var error = Optional.ofNullable(intent.getLastPaymentError());
        return new Outcome.Declined(
                error.map(e -> e.getDeclineCode() == null ? e.getCode() : e.getDeclineCode()).orElse("card_error"),
                error.map(e -> e.getMessage()).orElse("the card was refused"), Optional.of(intent.getId()),
                StripeErrors.advice(intent.getLastPaymentError()));
    }

    private PaymentIntent cancel(PaymentIntent intent) throws StripeException {
        return stripe.v1().paymentIntents().cancel(intent.getId());
    }

    private static boolean isCancelled(PaymentIntent intent) {
        return "canceled".equals(intent.getStatus());
    }

    private static Outcome undecided(PaymentIntent intent) {
        return new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Stripe says " + intent.getStatus(), Optional.of(intent.getId()));
    }
}
