// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The circuit breakers of the PSPs. Each charging process has its own and publishes it with its metrics.
 *
 * @param token what the processes require; empty if they require none
 */
public record Breakers(List<String> addresses, Optional<String> token) {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Pattern BREAKER = Pattern.compile("(?m)^chargeonce_psp_breaker_open\\{[^}]*psp=\"([^\"]*)\"[^}]*} (\\S+)$");
    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Asks all processes at once. If one does not answer, that stands in place of its state. */
    public Map<String, String> states() {
        var asked = new TreeMap<String, CompletableFuture<String>>();
        addresses.forEach(address -> asked.put(address, metrics(address)));
        var states = new TreeMap<String, String>();
        asked.forEach((address, metrics) -> {
            try {
                read(metrics.join(), states);
            } catch (CompletionException e) {
                states.put(address, "unknown, no metrics there");
            }
        });
        return states;
    }

    private CompletableFuture<String> metrics(String address) {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).timeout(PATIENCE);
            token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
            return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).thenApply(Breakers::told);
        } catch (IllegalArgumentException noAddress) {
            return CompletableFuture.failedFuture(noAddress);
        }
    }

    private static String told(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new CompletionException(new IOException("it answered " + answer.statusCode()));
        }
        return answer.body();
    }

    private static void read(String metrics, Map<String, String> states) {
        Matcher breakers = BREAKER.matcher(metrics);
        while (breakers.find()) {
            // One open breaker is what a person must see.
            states.merge(breakers.group(1), Double.parseDouble(breakers.group(2)) > 0 ? "OPEN" : "closed",
                    (one, other) -> one.equals("OPEN") ? one : other);
        }
    }
}
