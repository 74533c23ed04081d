// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.outside;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * An endpoint of a merchant, which checks what it gets.
 *
 * @param name   a part of its address
 * @param events as a Postgres array
 */
public record HookEndpoint(String id, String merchant, String name, String events) {

    private static final String PREFIX = "whsec_";

    /** Of two merchants: one has two, of which one wants successes only. */
    public static List<HookEndpoint> ofTwo(String first, String second) {
        return List.of(new HookEndpoint("whe_000000000000000000000001", first, "one", "{*}"),
                new HookEndpoint("whe_000000000000000000000002", first, "two", "{payment.succeeded,refund.succeeded}"),
                new HookEndpoint("whe_000000000000000000000003", second, "three", "{*}"));
    }

    private String secret() {
        return PREFIX + Base64.getEncoder().encodeToString((id + " keeps this").getBytes(StandardCharsets.UTF_8));
    }

    /** The secret is unsealed, as in a trial. */
    public List<String> inserted(String url) {
        return List.of("""
                INSERT INTO chargeonce.webhook_endpoint (endpoint_id, merchant_id, url, events) VALUES ('%s', '%s', '%s', '%s')
                """.formatted(id, merchant, url, events), """
                INSERT INTO chargeonce.webhook_secret (endpoint_id, sealed_secret)
                VALUES ('%s', '\\x00'::bytea || convert_to('%s', 'UTF8'))
                """.formatted(id, secret()));
    }

    /** What came, not acknowledged yet. */
    public ArrivalEvidence.Webhook read(Function<String, Optional<String>> headers, String body) {
        String webhook = headers.apply("webhook-id").orElse("");
        String expected = signature(webhook + "." + headers.apply("webhook-timestamp").orElse("") + "." + body);
        return new ArrivalEvidence.Webhook(id, webhook, body,
                Arrays.asList(headers.apply("webhook-signature").orElse("").split(" ")).contains(expected), false);
    }

    /** By the specification, and by none of its libraries. */
    private String signature(String content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret().substring(PREFIX.length())), "HmacSHA256"));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Bug! Every Java has HmacSHA256", e);
        }
    }
}
