// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookSigningException;
import java.util.List;
import java.util.stream.Collectors;

/** Signatures by the Standard Webhooks specification. */
final class Signatures {

    private Signatures() {}

    /** The header {@code webhook-signature}: one signature for each secret. */
    static String of(List<String> secrets, String webhookId, long timestamp, String body) {
        return secrets.stream().map(secret -> signature(secret, webhookId, timestamp, body)).collect(Collectors.joining(" "));
    }

    private static String signature(String secret, String webhookId, long timestamp, String body) {
        try {
            return new Webhook(secret).sign(webhookId, timestamp, body);
        } catch (WebhookSigningException bug) {
            throw new IllegalStateException("Bug! The JDK has no HMAC-SHA256", bug);
        }
    }
}
