// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Messages in a PSP's name. */
final class WebhookAttacks {

    private WebhookAttacks() {}

    static final Result NO_ADDRESS = new Result.NotTried("--webhooks URL");
    private static final String STRIPE = "/v1/webhooks/stripe";

    private static final String EVENT = """
            {"id":"evt_attack","type":"payment_intent.succeeded","data":{"object":{"id":"pi_attack","metadata":{"attempt_key":"%s"}}}}"""
            .formatted("a".repeat(26));
    private static final String ADYEN = """
            {"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"%s"},"amount":
            {"currency":"EUR","value":1299},"eventCode":"REFUND","eventDate":"2026-01-01T00:00:00+00:00","merchantAccountCode":"Chargeonce",
            "merchantReference":"aaaaaaaaaaaaaaaaaaaaaaaaaa","pspReference":"8535296650153317","success":"true"}}]}""";

    static final List<Attack> ALL = List.of(
            Attack.plain("webhook-forged", "webhooks without a signature, and with a forged one", WebhookAttacks::forged),
            Attack.plain("webhook-framings", "the same framings, before webhooks",
                    siege -> siege.target.webhooks().isEmpty() ? NO_ADDRESS
                            : Framings.play(siege, Framings.Door.webhooks(siege.target.webhooks().get())).result()),
            Attack.plain("webhook-odd", "webhooks of no PSP, too large, with other methods and paths", WebhookAttacks::odd),
            Attack.plain("webhook-rewritten", "a signed webhook with another body, and with another time", WebhookAttacks::rewritten));

    private static Result forged(AttackSession siege) throws IOException {
        if (siege.target.webhooks().isEmpty()) {
            return NO_ADDRESS;
        }
        URI door = siege.target.webhooks().get();
        long now = Instant.now().getEpochSecond();
        var several = new Several();
        for (String signature : List.of("", "Stripe-Signature: \r\n", "Stripe-Signature: t=" + now + "\r\n", "Stripe-Signature: t=" + now
                + ",v1=\r\n",
                "Stripe-Signature: t=" + now + ",v1=" + "0".repeat(64) + "\r\n", "Stripe-Signature: t=" + now + ",v0=" + "0".repeat(64)
                        + "\r\n",
                "Stripe-Signature: t=x,v1=" + "0".repeat(64) + "\r\n", "Stripe-Signature: " + signed("", now) + "\r\n")) {
            several.add("stripe " + signature, siege.ask(door, "POST", STRIPE, signature, EVENT));
        }
        for (String signature : List.of("", "AAAA", "!!", "A".repeat(44))) {
            several.add("adyen " + signature, siege.ask(door, "POST", "/v1/webhooks/adyen", "Content-Type: application/json\r\n",
                    ADYEN.formatted(signature)));
        }
        several.add("adyen", siege.ask(door, "POST", "/v1/webhooks/adyen", "", "{\"notificationItems\":[]}"));
        return several.result();
    }

    private static Result odd(AttackSession siege) throws IOException {
        if (siege.target.webhooks().isEmpty()) {
            return NO_ADDRESS;
        }
        URI door = siege.target.webhooks().get();
        var several = new Several();
        for (String path : List.of("/v1/webhooks/", "/v1/webhooks/paypal", "/v1/webhooks/stripe/../adyen", "/v1/webhooks/%00",
                "/v1/webhooks/STRIPE", "/metrics",
                "/v1/payments")) {
            several.add(path, siege.ask(door, "POST", path, "", EVENT));
        }
        for (String method : List.of("GET", "PUT", "DELETE", "TRACE")) {
            several.add(method, siege.ask(door, method, STRIPE, "", EVENT));
        }
        several.add("1 MiB", siege.ask(door, "POST", STRIPE, "", EVENT + " ".repeat(1 << 20)));
        several.add("deep", siege.ask(door, "POST", STRIPE, "", "[".repeat(100_000)));
        return several.result();
    }

    private static Result rewritten(AttackSession siege) throws IOException {
        if (siege.target.webhooks().isEmpty()) {
            return NO_ADDRESS;
        }
        if (siege.target.webhookSecret().isEmpty()) {
            return new Result.NotTried("--stripe-webhook-secret-file FILE");
        }
        URI door = siege.target.webhooks().get();
        String secret = siege.target.webhookSecret().get();
        long now = Instant.now().getEpochSecond();
        Reply honest = siege.ask(door, "POST", STRIPE, "Stripe-Signature: " + signed(secret, now) + "\r\n", EVENT);
        if (honest.status() != 202) {
            return new Result.NotTried("the secret that the pipeline has: a webhook that was signed with this one is answered with "
                    + honest);
        }
        var several = new Several();
        for (long at : new long[] {now - 3600, now + 400, 0, -1, Long.MAX_VALUE}) {
            several.add("of " + at, siege.ask(door, "POST", STRIPE,
                    "Stripe-Signature: " + signed(secret, now).replace("t=" + now, "t=" + at) + "\r\n", EVENT));
        }
        several.add("another body", siege.ask(door, "POST", STRIPE, "Stripe-Signature: " + signed(secret, now) + "\r\n",
                EVENT.replace("pi_", "pi_x")));
        return several.result();
    }

    private static String signed(String secret, long at) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec((secret.isEmpty() ? "guessed" : secret).getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return "t=" + at + ",v1=" + HexFormat.of().formatHex(mac.doFinal((at + "." + EVENT).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Bug! Every JDK has HmacSHA256", e);
        }
    }
}
