// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.webhook.WebhookSender;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.core.JsonGenerator;

/** Delivers standard notifications as Adyen does. */
final class AdyenWebhooks extends WebhookSender<Notification> {
    private final AdyenSimulatorSettings.Webhook webhook;
    private final AdyenObjects objects;
    private final PspLedger<AdyenChange, AdyenReply> ledger;

    AdyenWebhooks(AdyenSimulatorSettings.Webhook webhook, AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger) {
        this.webhook = webhook;
        this.objects = objects;
        this.ledger = ledger;
    }

    @Override
    protected List<Notification> undelivered() {
        return objects.undelivered();
    }

    @Override
    protected HttpRequest.Builder request(Notification notification) {
        return HttpRequest.newBuilder(webhook.url())
                .POST(HttpRequest.BodyPublishers.ofByteArray(NotificationJson.render(notification, webhook.hmacKey())));
    }

    @Override
    protected void delivered(Notification notification) {
        ledger.commit(AdyenChange.delivered(notification));
    }

    /** Renders a standard webhook with its HMAC signature, as published. */
    private static final class NotificationJson {
        private NotificationJson() {}

        static byte[] render(Notification notification, String hmacKey) {
            return SandboxJson.object(json -> {
                json.writeStringProperty("live", "false");
                json.writeArrayPropertyStart("notificationItems");
                json.writeStartObject();
                json.writeObjectPropertyStart("NotificationRequestItem");
                item(json, notification, signature(notification, hmacKey));
                json.writeEndObject();
                json.writeEndObject();
                json.writeEndArray();
            });
        }

        private static void item(JsonGenerator json, Notification notification, String signature) {
            json.writeObjectPropertyStart("additionalData");
            json.writeStringProperty("hmacSignature", signature);
            notification.more().forEach(json::writeStringProperty);
            json.writeEndObject();
            notification.amount().write(json);
            json.writeStringProperty("eventCode", notification.eventCode());
            json.writeStringProperty("eventDate", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                    notification.at().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.ofHours(1))));
            json.writeStringProperty("merchantAccountCode", AdyenSimulatorSettings.MERCHANT_ACCOUNT);
            json.writeStringProperty("merchantReference", notification.merchantReference());
            notification.originalReference().ifPresent(original -> json.writeStringProperty("originalReference", original));
            json.writeStringProperty("paymentMethod", notification.paymentMethod());
            json.writeStringProperty("pspReference", notification.pspReference());
            json.writeStringProperty("reason", notification.reason());
            json.writeStringProperty("success", Boolean.toString(notification.success()));
        }

        /** HMAC-SHA256 over eight fields in this order, joined by colons, in Base64. */
        private static String signature(Notification notification, String hmacKey) {
            String signed = String.join(":", notification.pspReference(), notification.originalReference().orElse(""),
                    AdyenSimulatorSettings.MERCHANT_ACCOUNT, notification.merchantReference(), Long.toString(notification.amount().value()),
                    notification.amount().currency(), notification.eventCode(), Boolean.toString(notification.success()));
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(HexFormat.of().parseHex(hmacKey), "HmacSHA256"));
                return Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("Bug! Every Java has HmacSHA256", e);
            }
        }
    }
}
