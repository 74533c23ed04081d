// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** What one service says about itself, in Prometheus's text format. */
public record Metrics(String text) {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    static String of(URI service) {
        try (var http = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var request = HttpRequest.newBuilder(service.resolve("/metrics")).timeout(PATIENCE).build();
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("it answered " + answer.statusCode());
            }
            return answer.body();
        } catch (IOException e) {
            throw new EvidenceMissing("the metrics of the service at %s cannot be read: %s".formatted(service, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvidenceMissing("interrupted while reading the metrics of " + service, e);
        }
    }

    /** Summed over all labels that contain the text; empty where the service has no such meter. */
    public Optional<Double> sum(String meter, String label) {
        return text.lines().filter(line -> line.startsWith(meter + "{") && line.contains(label))
                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf('}') + 1).strip())).reduce(Double::sum);
    }
}
