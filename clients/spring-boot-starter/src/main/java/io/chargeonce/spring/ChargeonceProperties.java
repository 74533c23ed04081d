// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import io.chargeonce.client.Patience;
import io.chargeonce.client.Retries;
import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the client. Its text never contains the token.
 *
 * @param url      Address of the ingest service, such as https://pay.example.com. Without it there is no client.
 * @param token    Access token of the merchant.
 * @param timeouts How long the client waits for the server.
 * @param retries  How often and how soon the client sends again.
 */
@ConfigurationProperties("chargeonce")
public record ChargeonceProperties(URI url, String token, @DefaultValue Timeouts timeouts, @DefaultValue Repeats retries) {

    public ChargeonceProperties {
        if (url == null || url.getHost() == null || !("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
            throw new IllegalArgumentException("chargeonce.url must be an address such as https://pay.example.com");
        }
        if (token == null || !token.matches("[!-~]+")) {
            throw new IllegalArgumentException("chargeonce.token must be a merchant's access token, in visible ASCII characters");
        }
    }

    @Override
    public String toString() {
        return "ChargeonceProperties[url=" + url + ", timeouts=" + timeouts + ", retries=" + retries + "]";
    }

    /**
     * @param answer  From the sending of one payment to the last byte of its answer.
     * @param batch   From the sending of a batch to the first byte of its answers.
     * @param silence Within the answers to a batch, from one line to the next.
     */
    public record Timeouts(@DefaultValue("20s") Duration answer, @DefaultValue("10m") Duration batch,
            @DefaultValue("90s") Duration silence) {

        Patience patience() {
            return new Patience(answer, batch, silence);
        }
    }

    /**
     * @param most    Number of sends, the first included.
     * @param first   The longest first pause. Each next one may be twice as long.
     * @param longest The longest pause, and the longest Retry-After that is obeyed.
     */
    public record Repeats(@DefaultValue("8") int most, @DefaultValue("100ms") Duration first, @DefaultValue("30s") Duration longest) {

        Retries retries() {
            return new Retries(most, first, longest);
        }
    }
}
