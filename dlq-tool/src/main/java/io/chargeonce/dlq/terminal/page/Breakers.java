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
 * The PSPs' breakers, which each charging process keeps for itself and tells with its metrics.
 *
 * @param token what they tell them for; empty if they tell everyone
 */
public record Breakers(List<String> addresses, Optional<String> token) {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Pattern BREAKER = Pattern.compile("(?m)^chargeonce_psp_breaker_open\\{[^}]*psp=\"([^\"]*)\"[^}]*} (\\S+)$");
    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Asks all of them at once. Where a process does not answer, that is said in the place of a state. */
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
            // Open in one process is what matters.
            states.merge(breakers.group(1), Double.parseDouble(breakers.group(2)) > 0 ? "OPEN" : "closed",
                    (one, other) -> one.equals("OPEN") ? one : other);
        }
    }
}
