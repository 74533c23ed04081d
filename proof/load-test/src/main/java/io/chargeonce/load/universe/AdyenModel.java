// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.traffic.Wallet;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.Strands;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Adyen as far as our gateway uses it: payments, which can be asked about only by sending them again, and refunds, which are
 * received first, executed later and told by webhook.
 */
final class AdyenModel extends SimulatedPsp {

    static final String ACCOUNT = "Chargeonce";
    private static final Duration SOONEST = Duration.ofMillis(50);
    private static final Duration LATEST = Duration.ofSeconds(2);
    private static final Pattern REFUNDS = Pattern.compile("/v71/payments/([^/]+)/refunds");

    private record Payment(String reference, String key, long amount, String currency, Map<String, String> metadata) {}

    private record Given(Payment payment, String psp, long amount) {}

    private final ModelWebhooks webhooks;
    private final Map<String, Payment> captured = new LinkedHashMap<>();
    private final Map<String, Long> refunded = new LinkedHashMap<>();
    /** What was given back under each key. */
    private final Map<String, Given> given = new LinkedHashMap<>();
    private final Map<String, Payment> disputed = new LinkedHashMap<>();
    private final Map<String, ModelDisputes.Step> stands = new LinkedHashMap<>();
    private int made;

    AdyenModel(Duration keyLife, Duration longer, ModelWebhooks webhooks) {
        super("adyen", keyLife, longer);
        this.webhooks = webhooks;
    }

    @Override
    Optional<String> paymentOf(Request request) {
        return Optional.ofNullable(JSON.readTree(request.body()).path("metadata").path("payment_id").stringValue(null));
    }

    @Override
    Map<String, String> repeated() {
        return Map.of();
    }

    @Override
    Reply error(int status, String message) {
        return Reply.of(status,
                Map.of("status", status, "errorCode", status == 401 ? "000" : "905", "message", message, "errorType", "validation"));
    }

    @Override
    Reply execute(Request request) {
        JsonNode body = JSON.readTree(request.body());
        Matcher refunds = REFUNDS.matcher(request.path());
        return refunds.matches() ? refund(refunds.group(1), body) : pay(body);
    }

    private Reply pay(JsonNode asked) {
        String card = asked.path("paymentMethod").path("storedPaymentMethodId").asString("");
        if (card.equals("pm_broken")) {
            return error(422, "it cannot do this");
        }
        if (!Wallet.isAdyens(card, asked.path("shopperReference").asString(""))) {
            return error(422, "Contract not found");
        }
        String psp = "ADY" + ++made;
        String key = asked.path("reference").asString("");
        long amount = asked.path("amount").path("value").asLong();
        String currency = asked.path("amount").path("currency").asString("");
        var metadata = Map.of("payment_id", asked.path("metadata").path("payment_id").asString(""), "attempt_key", key);
        boolean declined = card.equals("pm_declined") || card.equals("pm_poor");
        if (!declined) {
            captured.put(psp, new Payment(psp, key, amount, currency, metadata));
            move("capture", key, psp, amount, currency, metadata);
        }
        webhooks.adyen("AUTHORISATION", psp, "", key, amount, currency, !declined, declined ? "Refused" : "");
        var answer = new LinkedHashMap<String, Object>();
        answer.put("pspReference", psp);
        answer.put("resultCode", declined ? "Refused" : "Authorised");
        answer.put("merchantReference", key);
        answer.put("amount", Map.of("currency", currency, "value", amount));
        if (declined) {
            answer.put("refusalReason", "Restricted Card" + quoted());
            answer.put("refusalReasonCode", "23");
        }
        return Reply.of(200, answer);
    }

    private Reply refund(String capture, JsonNode asked) {
        Payment payment = captured.get(capture);
        if (payment == null) {
            return error(422, "Original pspReference required for this operation");
        }
        String psp = "ADY" + ++made;
        String key = asked.path("reference").asString("");
        long amount = asked.path("amount").path("value").asLong();
        Kernel kernel = Kernel.it();
        Strands.later(kernel.world(), () -> give(payment, psp, key, amount), kernel.after(kernel.between(SOONEST, LATEST)));
        return Reply.of(201, Map.of("merchantAccount", ACCOUNT, "paymentPspReference", capture, "pspReference", psp, "reference", key,
                "status", "received", "amount", Map.of("currency", payment.currency, "value", amount)));
    }

    private void give(Payment payment, String psp, String key, long amount) {
        boolean isTaken = disputed.entrySet().stream().anyMatch(one -> one.getValue() == payment && stands.containsKey(one.getKey())
                && stands.get(one.getKey()).hasTheMoney());
        boolean enough = !isTaken && refunded.getOrDefault(payment.reference, 0L) + amount <= payment.amount;
        if (enough) {
            refunded.merge(payment.reference, amount, Long::sum);
            given.put(key, new Given(payment, psp, amount));
            move("refund", key, psp, amount, payment.currency,
                    Map.of("payment_id", payment.metadata.get("payment_id"), "attempt_key", key));
        }
        webhooks.adyen("REFUND", psp, payment.reference, key, amount, payment.currency, enough,
                enough ? "" : "Insufficient balance on payment");
    }

    @Override
    boolean failRefund(String key) {
        Optional<Given> paid = Optional.ofNullable(given.remove(key));
        paid.ifPresent(one -> {
            refunded.merge(one.payment.reference, -one.amount, Long::sum);
            webhooks.adyen("REFUND_FAILED", one.psp, one.payment.reference, key, one.amount, one.payment.currency, true,
                    "the card is closed");
        });
        return paid.isPresent();
    }

    @Override
    Optional<ModelDisputes.Disputed> dispute(String key) {
        return captured.values().stream().filter(one -> one.key.equals(key)).findFirst().map(this::disputed);
    }

    private ModelDisputes.Disputed disputed(Payment payment) {
        String reference = "DIS" + (disputed.size() + 1);
        disputed.put(reference, payment);
        return new ModelDisputes.Disputed(reference, payment.key, payment.metadata.get("payment_id"), payment.amount, payment.currency);
    }

    @Override
    Optional<ModelDisputes.Disputed> disputeOfAStranger() {
        PaymentId payment = PaymentId.derive("stranger", new IdempotencyKey("order-" + disputed.size()));
        String key = PspKey.derive(payment, "charge", "", name, 1).value();
        return Optional.of(disputed(new Payment("ADY" + ++made, key, 700, "EUR", Map.of("payment_id", payment.value()))));
    }

    @Override
    void disputeBecomes(String reference, ModelDisputes.Step step) {
        boolean wasReturned = stands.put(reference, step) == ModelDisputes.Step.RETURNED;
        Payment payment = disputed.get(reference);
        webhooks.adyen(switch (step) {
            case OPENED -> "NOTIFICATION_OF_CHARGEBACK";
            case TAKEN -> "CHARGEBACK";
            case RETURNED -> "CHARGEBACK_REVERSED";
            case WON -> "ISSUER_RESPONSE_TIMEFRAME_EXPIRED";
            case LOST -> wasReturned ? "SECOND_CHARGEBACK" : "DISPUTE_DEFENSE_PERIOD_ENDED";
        }, reference, payment.reference, payment.key, payment.amount, payment.currency, true, "fraud" + quoted());
    }
}
