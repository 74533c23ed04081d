// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookSigningException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Secrets and signatures by the Standard Webhooks specification. */
public final class SigningSecret {

    /** The specification asks for 24 to 64 bytes. */
    private static final int BYTES = 32;
    private static final String PREFIX = "whsec_";
    private static final SecureRandom RANDOM = new SecureRandom();

    private SigningSecret() {}

    /** A new secret, as it is shown to the merchant. */
    public static String make() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /** Where the secrets of an endpoint lie: they open for no other endpoint. */
    public static String placeOf(String endpoint) {
        return "webhook secret of " + endpoint;
    }

    /** The header {@code webhook-signature}: one signature for each secret. */
    static String signatures(List<String> secrets, String webhookId, long timestamp, String body) {
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
