// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.runtime.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The settings that a service of a running pipeline publishes in its metrics. Immutable.
 *
 * @param service     where it does
 * @param tiers       the delays of its retry tiers, first to last
 * @param psps        by the account's name, where its PSP is asked
 * @param ourReceipts whether the receipts service mails receipts
 * @param since       when the service started
 */
record RunningSettings(URI service, List<Duration> tiers, Map<String, URI> psps, boolean ourReceipts, Instant since) {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Pattern TIER = Pattern.compile("(?m)^chargeonce_tier_delay_seconds\\{[^}]*\\btier=\"(\\d)\"[^}]*} (\\S+)");
    private static final Pattern PSP = Pattern.compile("(?m)^chargeonce_psp_info\\{([^}]*)} ");
    private static final Pattern OUR_RECEIPTS = Pattern.compile("(?m)^chargeonce_receipts_ours(?:\\{[^}]*})? 1");
    private static final Pattern STARTED = Pattern.compile("(?m)^process_start_time_seconds(?:\\{[^}]*})? (\\S+)");

    /** @throws UncheckedIOException if the service does not answer, or tells none */
    static RunningSettings of(URI service, Optional<Secret> token) {
        var request = HttpRequest.newBuilder(service.resolve("/metrics")).timeout(PATIENCE);
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret.get()));
        try (var http = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("it answered " + answer.statusCode());
            }
            return parse(service, answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException("no charge or retry service tells its settings at %s (%s)".formatted(service,
                    Optional.ofNullable(e.getMessage()).orElse("nothing listens there")), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while asking " + service, e));
        }
    }

    private static RunningSettings parse(URI service, String metrics) throws IOException {
        var tiers = new TreeMap<Integer, Duration>();
        TIER.matcher(metrics).results().forEach(found -> tiers.put(Integer.valueOf(found.group(1)), seconds(found.group(2))));
        if (tiers.isEmpty()) {
            throw new IOException("its metrics name no retry tier");
        }
        var psps = new TreeMap<String, URI>();
        PSP.matcher(metrics).results().map(MatchResult::group)
                .forEach(labels -> psps.put(label(labels, "psp"), URI.create(label(labels, "api"))));
        Instant since = STARTED.matcher(metrics).results().findFirst()
                .map(found -> Instant.EPOCH.plus(seconds(found.group(1)))).orElse(Instant.EPOCH);
        return new RunningSettings(service, List.copyOf(tiers.values()), psps, OUR_RECEIPTS.matcher(metrics).find(), since);
    }

    private static Duration seconds(String text) {
        return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1_000));
    }

    private static String label(String labels, String name) {
        return Pattern.compile("\\b" + name + "=\"([^\"]*)\"").matcher(labels).results().findFirst().orElseThrow().group(1);
    }

    /** Those that are simulators, whose ledger can be read: a real PSP is asked by https alone. */
    List<URI> simulators() {
        return psps.values().stream().filter(address -> "http".equals(address.getScheme())).distinct().toList();
    }
}
