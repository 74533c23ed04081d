// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.io.UncheckedIOException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Tries every rule on a server, one after another, each with a key of its own. It leaves behind what it had made. */
public final class Conformance {

    private Conformance() {}

    /**
     * @throws UncheckedIOException     if the server cannot be reached
     * @throws IllegalArgumentException if it does not take the token: then nothing was tried
     */
    public static Report of(Target target) {
        Trial.requireObject(target.body());
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build()) {
            requireAccess(new Trial(target, http));
            List<Report.Line> lines = Rules.ALL.stream().map(rule -> new Report.Line(rule, check(rule, new Trial(target, http)))).toList();
            return new Report(lines);
        }
    }

    /** Without it each rule would seem broken. The request has no field, so that it makes nothing. */
    private static void requireAccess(Trial trial) {
        int status;
        try {
            status = trial.send(Optional.of(trial.key), "{}").status();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof ConnectException || e.getCause() instanceof HttpConnectTimeoutException) {
                throw e;
            }
            return;
        }
        if (status == 401 || status == 403) {
            throw new IllegalArgumentException(
                    "the server answers %d to this token, so nothing was tried: give one that may send requests there"
                            .formatted(status));
        }
    }

    private static Rule.Finding check(Rule rule, Trial trial) {
        try {
            return rule.check().apply(trial);
        } catch (UncheckedIOException | CompletionException e) {
            if (e.getCause() instanceof ConnectException || e.getCause() instanceof HttpConnectTimeoutException) {
                throw new UncheckedIOException((IOException) e.getCause());
            }
            return new Rule.Finding.Broken("an answer", "no answer: " + e.getCause());
        }
    }
}
