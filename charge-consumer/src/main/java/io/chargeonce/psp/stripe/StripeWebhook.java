// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.exception.SignatureVerificationException;
import com.stripe.net.Webhook.Signature;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.Webhook;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stripe's events. Those that end an attempt only say which payment to look up; only Stripe's answer to that is trusted. So it is with
 * disputes. An event that money was taken back names an intent, and Stripe says whose that is.
 */
final class StripeWebhook implements Webhook {

    /** Events that end an attempt. Earlier ones would make us ask about, and cancel, an attempt that is still being made. */
    private static final Set<String> ENDS = Set.of("payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
            "refund.updated", "refund.failed", "charge.refund.updated");

    private static final String DISPUTE = "charge.dispute.";
    private static final String REFUND_BEGUN = "refund.created";

    private static final JsonMapper JSON = new JsonMapper();

    private final Supplier<String> secret;
    private final Function<String, Optional<PspKey>> keyOf;
    private final StripeDisputes disputes;

    /** @param keyOf asks Stripe for the attempt of an intent; empty if it is none of ours */
    StripeWebhook(Supplier<String> secret, Function<String, Optional<PspKey>> keyOf, StripeDisputes disputes) {
        this.secret = secret;
        this.keyOf = keyOf;
        this.disputes = disputes;
    }

    @Override
    public Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body) {
        String raw = new String(body, StandardCharsets.UTF_8);
        return header.apply("Stripe-Signature").filter(signature -> isSigned(raw, signature)).flatMap(signed -> event(body))
                .map(event -> notice(event).stream().toList());
    }

    private boolean isSigned(String body, String signature) {
        try {
            // Without a tolerance it checks no time.
            return Signature.verifyHeader(body, signature, secret.get(), 0);
        } catch (SignatureVerificationException | RuntimeException forged) {
            return false;
        }
    }

    private static Optional<JsonNode> event(byte[] body) {
        try {
            return Optional.of(JSON.readTree(body));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }

    private Optional<Notice> notice(JsonNode event) {
        String type = event.path("type").asString("");
        JsonNode object = event.path("data").path("object");
        Optional<PspKey> ours = PspKey.parse(object.path("metadata").path("attempt_key").asString(""));
        return type.startsWith(DISPUTE) ? disputed(event, type, object)
                : type.equals(REFUND_BEGUN) && ours.isEmpty() ? takenBack(event, type, object)
                        : ours.filter(key -> ENDS.contains(type)).map(key -> ended(event, object, key));
    }

    private static Notice ended(JsonNode event, JsonNode object, PspKey key) {
        return new Notice(event.path("id").asString(""), key, Optional.of(object.path("id").asString("")).filter(id -> !id.isEmpty()),
                Optional.empty());
    }

    /** Events come in any order, so the dispute counts as Stripe shows it now. */
    private Optional<Notice> disputed(JsonNode event, String type, JsonNode object) {
        return intent(object).flatMap(keyOf).map(key -> new Notice(event.path("id").asString(""), key, intent(object),
                Optional.of(new Notice.Disputed(disputes.lookUp(object.path("id").asString(""), type)))));
    }

    /** A refund that was not made by us. */
    private Optional<Notice> takenBack(JsonNode event, String type, JsonNode object) {
        String why = "%s: %s, %s, %d %s".formatted(object.path("id").asString(""), object.path("reason").asString("no reason"),
                object.path("status").asString(""), object.path("amount").asLong(0), object.path("currency").asString(""));
        return intent(object).flatMap(keyOf).map(key -> new Notice(event.path("id").asString(""), key, intent(object),
                Optional.of(new Notice.TakenBack(Optional.empty(), type, why))));
    }

    private static Optional<String> intent(JsonNode object) {
        return Optional.of(object.path("payment_intent").asString("")).filter(id -> !id.isEmpty());
    }
}
