// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.webhook.WebhookSender;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Delivers events about disputes, signed as Stripe signs them. Of payments and refunds it sends none. */
final class StripeWebhooks extends WebhookSender<StripeWebhooks.Event> {

    /** @param dispute as it was then */
    record Event(String id, Instant created, String type, StripeDispute dispute) {}

    private final StripeSimulatorSettings.Webhook webhook;
    private final StripeObjects objects;
    private final PspLedger<StripeChange, StripeAnswer> ledger;
    private final InstantSource clock;

    StripeWebhooks(StripeSimulatorSettings.Webhook webhook, StripeObjects objects, PspLedger<StripeChange, StripeAnswer> ledger,
                   InstantSource clock) {
        this.webhook = webhook;
        this.objects = objects;
        this.ledger = ledger;
        this.clock = clock;
    }

    @Override
    protected List<Event> undelivered() {
        return objects.undelivered();
    }

    @Override
    protected HttpRequest.Builder request(Event event) {
        byte[] body = render(event);
        return HttpRequest.newBuilder(webhook.url()).header("Stripe-Signature", signature(body))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }

    @Override
    protected void delivered(Event event) {
        ledger.commit(StripeChange.delivered(event));
    }

    private static byte[] render(Event event) {
        return SandboxJson.object(json -> {
            json.writeStringProperty("id", event.id());
            json.writeStringProperty("object", "event");
            json.writeStringProperty("api_version", StripeAnswer.VERSION);
            Fields.time(json, "created", event.created());
            json.writeObjectPropertyStart("data");
            json.writeObjectPropertyStart("object");
            AnswerJson.dispute(json, event.dispute());
            json.writeEndObject();
            json.writeEndObject();
            json.writeBooleanProperty("livemode", false);
            json.writeNumberProperty("pending_webhooks", 1);
            json.writeStringProperty("type", event.type());
        });
    }

    /** HMAC-SHA256 over the time, a dot and the body, in hexadecimal. */
    private String signature(byte[] body) {
        long at = clock.instant().getEpochSecond();
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(webhook.secret().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((at + ".").getBytes(StandardCharsets.UTF_8));
            return "t=%d,v1=%s".formatted(at, HexFormat.of().formatHex(mac.doFinal(body)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Bug! Every Java has HmacSHA256", e);
        }
    }
}
