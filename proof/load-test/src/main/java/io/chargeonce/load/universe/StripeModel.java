// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.traffic.Wallet;
import io.chargeonce.load.universe.kernel.Kernel;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stripe as far as our gateway uses it: intents that are created, confirmed, cancelled, looked up and searched for, and refunds. */
final class StripeModel extends SimulatedPsp {

    /** It makes an intent, which moves no money before it is confirmed. */
    static final String CREATE = "/v1/payment_intents";

    private static final class Intent {
        String id;
        Instant created;
        long amount;
        String currency;
        String card;
        Map<String, String> metadata;
        String status = "requires_confirmation";
        Map<String, Object> error;
    }

    private record Refund(String id, String intent, Instant created, long amount, String currency, Map<String, String> metadata) {}

    /** @param moved what its balance transactions say */
    private record Dispute(String id, Intent intent, List<Long> moved, ModelDisputes.Step stands) {

        Dispute become(ModelDisputes.Step step) {
            boolean isTaken = moved.stream().mapToLong(Long::longValue).sum() < 0;
            var more = new ArrayList<>(moved);
            if (isTaken != step.hasTheMoney() && (isTaken || step.hasTheMoney())) {
                more.add(isTaken ? intent.amount : -intent.amount);
            }
            return new Dispute(id, intent, more, step);
        }
    }

    private static final Pattern DISPUTE = Pattern.compile("/v1/disputes/(du_\\w+)");
    private static final Pattern ONE = Pattern.compile("/v1/payment_intents/(pi_\\w+)(?:/(\\w+))?");
    /** Another query is for all that were created in a while. */
    private static final Pattern ASKED_FOR = Pattern.compile("metadata\\['(\\w+)'\\]:'([^']+)'");
    private static final int PAGE = 100;

    private static final Duration LONG_AGO = Duration.ofDays(500);

    private final ModelWebhooks webhooks;
    private final SequencedMap<String, Intent> intents = new LinkedHashMap<>();
    private final Map<String, Refund> refunds = new LinkedHashMap<>();
    private final Set<String> failed = new HashSet<>();
    private final Map<String, Dispute> disputes = new LinkedHashMap<>();
    /** Cards that are declined at a payment's first presentation, and why. */
    private static final Map<String, String> SOFT = Map.of("pm_poor", "insufficient_funds", "pm_unanswered", "processing_error");

    /** How often one of these was presented for a payment. */
    private final Map<String, Integer> presented = new LinkedHashMap<>();

    StripeModel(Duration keyLife, Duration longer, ModelWebhooks webhooks) {
        super("stripe", keyLife, longer);
        this.webhooks = webhooks;
    }

    @Override
    Optional<String> paymentOf(Request request) {
        Matcher one = ONE.matcher(request.path().replaceFirst("\\?.*", ""));
        return one.matches() ? Optional.ofNullable(intents.get(one.group(1))).map(intent -> intent.metadata.get("payment_id"))
                : request.method().equals("POST") ? Optional.ofNullable(metadata(form(request.body())).get("payment_id"))
                        : Optional.empty();
    }

    @Override
    Map<String, String> repeated() {
        return Map.of("Idempotent-Replayed", "true");
    }

    @Override
    Reply error(int status, String message) {
        return Reply.of(status,
                Map.of("error", Map.of("type", status == 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "api_error",
                        "message", message)));
    }

    @Override
    Reply execute(Request request) {
        String path = request.path().replaceFirst("\\?.*", "");
        Map<String, String> form = form(request.method().equals("GET") ? request.path().replaceFirst("^[^?]*\\??", "") : request.body());
        Matcher one = ONE.matcher(path);
        if (path.equals(CREATE)) {
            return request.method().equals("GET") ? list() : create(form);
        }
        if (path.equals("/v1/payment_intents/search")) {
            return search(form.get("query"));
        }
        if (path.equals("/v1/refunds")) {
            return request.method().equals("GET") ? list(form) : refund(form);
        }
        Matcher dispute = DISPUTE.matcher(path);
        if (dispute.matches()) {
            return Reply.of(200, json(disputes.get(dispute.group(1))));
        }
        if (!one.matches() || !intents.containsKey(one.group(1))) {
            return error(404, "No such payment_intent");
        }
        Intent intent = intents.get(one.group(1));
        return switch (String.valueOf(one.group(2))) {
            case "confirm" -> confirm(intent);
            case "cancel" -> cancel(intent);
            default -> Reply.of(200, json(intent));
        };
    }

    private Reply create(Map<String, String> form) {
        if (form.get("payment_method").equals("pm_broken")) {
            return error(500, "it could not prepare the payment");
        }
        if (!Wallet.isStripes(form.get("payment_method"), form.get("customer"))) {
            return error(400, "The payment method does not belong to the customer");
        }
        var intent = new Intent();
        intent.id = "pi_" + (intents.size() + 1);
        intent.created = Kernel.it().truth();
        intent.amount = Long.parseLong(form.get("amount"));
        intent.currency = form.get("currency");
        intent.card = form.get("payment_method");
        intent.metadata = metadata(form);
        intents.put(intent.id, intent);
        hide(intent.id);
        return Reply.of(200, json(intent));
    }

    /** It was captured in other times, for a payment of which nothing else is left. */
    void capturedLongAgo(String payment, String key, long amount, String currency) {
        var intent = new Intent();
        intent.id = "pi_" + (intents.size() + 1);
        intent.created = Kernel.it().truth().minus(LONG_AGO);
        intent.amount = amount;
        intent.currency = currency.toLowerCase(Locale.ROOT);
        intent.metadata = Map.of("payment_id", payment, "attempt_key", key);
        intent.status = "succeeded";
        intents.put(intent.id, intent);
    }

    private Reply confirm(Intent intent) {
        if (!intent.status.equals("requires_confirmation")) {
            return error(400, "This PaymentIntent's status is " + intent.status);
        }
        String key = intent.metadata.get("attempt_key");
        String payment = intent.metadata.get("payment_id");
        boolean once = SOFT.containsKey(intent.card) && presented.merge(payment, 1, Integer::sum) == 1;
        if (intent.card.equals("pm_declined") || once) {
            intent.status = "requires_payment_method";
            intent.error = Map.of("type", "card_error", "code", "card_declined", "decline_code", once ? SOFT.get(intent.card) : "lost_card",
                    "message", "Your card" + quoted() + " was declined.");
            declined(key + "-confirm");
            webhooks.stripe("payment_intent.payment_failed", json(intent));
            var told = new LinkedHashMap<>(intent.error);
            told.put("payment_intent", json(intent));
            return Reply.of(402, Map.of("error", told));
        }
        intent.status = "succeeded";
        move("capture", key, intent.id, intent.amount, intent.currency.toUpperCase(Locale.ROOT), intent.metadata);
        webhooks.stripe("payment_intent.succeeded", json(intent));
        return Reply.of(200, json(intent));
    }

    private Reply cancel(Intent intent) {
        if (intent.status.equals("succeeded") || intent.status.equals("canceled")) {
            return error(400, "You cannot cancel this PaymentIntent because it has a status of " + intent.status);
        }
        intent.status = "canceled";
        webhooks.stripe("payment_intent.canceled", json(intent));
        return Reply.of(200, json(intent));
    }

    /** The newest first, and at once. */
    private Reply list() {
        List<?> newest = List.copyOf(intents.sequencedValues().reversed()).stream().limit(PAGE).map(StripeModel::json).toList();
        return Reply.of(200, Map.of("object", "list", "data", newest, "has_more", intents.size() > PAGE));
    }

    private Reply search(String query) {
        Matcher asked = ASKED_FOR.matcher(query);
        List<?> found = intents.values().stream().filter(intent -> shows(intent.id))
                .filter(asked.find() ? intent -> asked.group(2).equals(intent.metadata.get(asked.group(1))) : all -> true)
                .map(StripeModel::json).toList();
        return Reply.of(200, Map.of("object", "search_result", "data", found, "has_more", false));
    }

    private Reply refund(Map<String, String> form) {
        Intent intent = intents.get(form.get("payment_intent"));
        if (intent == null || !intent.status.equals("succeeded")) {
            return error(400, "This PaymentIntent does not have a successful charge to refund.");
        }
        if (disputes.values().stream().anyMatch(one -> one.intent == intent && one.stands.hasTheMoney())) {
            return error(400, "The charge has been charged back; cannot issue a refund.");
        }
        long amount = Long.parseLong(form.get("amount"));
        long before = refunds.values().stream().filter(one -> one.intent.equals(intent.id) && !failed.contains(one.id))
                .mapToLong(Refund::amount).sum();
        if (before + amount > intent.amount) {
            return error(400, "Refund amount is greater than unrefunded amount on charge");
        }
        var refund = new Refund("re_" + (refunds.size() + 1), intent.id, Kernel.it().truth(), amount, intent.currency, metadata(form));
        refunds.put(refund.id, refund);
        move("refund", refund.metadata.get("attempt_key"), refund.id, amount, intent.currency.toUpperCase(Locale.ROOT),
                refund.metadata);
        webhooks.stripe("refund.updated", json(refund));
        return Reply.of(200, json(refund));
    }

    @Override
    boolean failRefund(String key) {
        Optional<Refund> paid = refunds.values().stream().filter(one -> key.equals(one.metadata.get("attempt_key"))).findFirst();
        paid.ifPresent(refund -> {
            failed.add(refund.id);
            webhooks.stripe("refund.failed", json(refund));
        });
        return paid.isPresent();
    }

    @Override
    Optional<ModelDisputes.Disputed> dispute(String key) {
        return intents.values().stream().filter(one -> one.status.equals("succeeded") && key.equals(one.metadata.get("attempt_key")))
                .findFirst().map(intent -> {
                    String id = "du_" + (disputes.size() + 1);
                    disputes.put(id, new Dispute(id, intent, List.of(), ModelDisputes.Step.OPENED));
                    return new ModelDisputes.Disputed(id, key, intent.metadata.get("payment_id"), intent.amount, intent.currency);
                });
    }

    @Override
    void disputeBecomes(String reference, ModelDisputes.Step step) {
        webhooks.stripe("charge.dispute.updated", json(disputes.compute(reference, (id, before) -> before.become(step))));
    }

    private static Map<String, Object> json(Dispute dispute) {
        return Map.of("id", dispute.id, "object", "dispute", "amount", dispute.intent.amount, "currency", dispute.intent.currency,
                "payment_intent", dispute.intent.id, "reason", "fraudulent", "is_charge_refundable", false,
                "status", switch (dispute.stands) {
                    case OPENED, TAKEN -> "needs_response";
                    case RETURNED -> "under_review";
                    case WON -> "won";
                    case LOST -> "lost";
                }, "balance_transactions", dispute.moved.stream().map(amount -> Map.of("object", "balance_transaction", "amount", amount))
                        .toList());
    }

    private Reply list(Map<String, String> form) {
        List<?> found =
                refunds.values().stream().filter(one -> one.intent.equals(form.get("payment_intent"))).map(this::json).toList();
        return Reply.of(200, Map.of("object", "list", "data", found, "has_more", false));
    }

    private static Map<String, Object> json(Intent intent) {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", intent.id);
        json.put("object", "payment_intent");
        json.put("created", intent.created.getEpochSecond());
        json.put("amount", intent.amount);
        json.put("amount_received", intent.status.equals("succeeded") ? intent.amount : 0);
        json.put("currency", intent.currency);
        json.put("status", intent.status);
        json.put("metadata", intent.metadata);
        json.put("last_payment_error", intent.error);
        return json;
    }

    private Map<String, Object> json(Refund refund) {
        return Map.of("id", refund.id, "object", "refund", "created", refund.created.getEpochSecond(), "amount", refund.amount,
                "currency", refund.currency, "payment_intent", refund.intent,
                "status", failed.contains(refund.id) ? "failed" : "succeeded", "metadata", refund.metadata);
    }

    private static Map<String, String> metadata(Map<String, String> form) {
        var metadata = new LinkedHashMap<String, String>();
        form.forEach((name, value) -> {
            if (name.startsWith("metadata[")) {
                metadata.put(name.substring(9, name.length() - 1), value);
            }
        });
        return metadata;
    }

    private static Map<String, String> form(String encoded) {
        var form = new LinkedHashMap<String, String>();
        for (String part : encoded.split("&")) {
            int is = part.indexOf('=');
            if (is > 0) {
                form.put(URLDecoder.decode(part.substring(0, is), StandardCharsets.UTF_8),
                        URLDecoder.decode(part.substring(is + 1), StandardCharsets.UTF_8));
            }
        }
        return form;
    }
}
