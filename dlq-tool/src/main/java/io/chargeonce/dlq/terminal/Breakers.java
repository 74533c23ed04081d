package io.chargeonce.dlq.terminal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The PSPs' breakers, which each charging process keeps for itself and tells with its metrics. */
record Breakers(List<String> addresses) {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Pattern BREAKER = Pattern.compile("(?m)^chargeonce_psp_breaker_open\\{[^}]*psp=\"([^\"]*)\"[^}]*} (\\S+)$");
    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Where a process does not answer, that is said in the place of a state. */
    Map<String, String> states() {
        var states = new TreeMap<String, String>();
        for (String address : addresses) {
            try {
                read(address, states);
            } catch (IOException | IllegalArgumentException e) {
                states.put(address, "unknown, no metrics there");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return states;
            }
        }
        return states;
    }

    private static void read(String address, Map<String, String> states) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).timeout(PATIENCE).build();
        Matcher breakers = BREAKER.matcher(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
        while (breakers.find()) {
            // Open in one process is what matters.
            states.merge(breakers.group(1), Double.parseDouble(breakers.group(2)) > 0 ? "OPEN" : "closed",
                    (one, other) -> one.equals("OPEN") ? one : other);
        }
    }
}
