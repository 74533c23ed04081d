// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** Tries every rule on a server, one after another, each with a key of its own. What the requests made stays on the server. */
public final class Conformance {

    private static final int NOT_IMPLEMENTED = 501;
    private static final Set<Integer> TAKES_NO_POST = Set.of(404, 405, 410, NOT_IMPLEMENTED);
    private static final String AWAY = "%s can't be reached, so nothing was tried: check the address and try again";
    private static final String GONE = "%s can't be reached any more, so there is no report: try again when the server is back";

    private Conformance() {}

    /**
     * @throws NotTriable               if no rule can be tried: the server is away, is another one or does not take a token
     * @throws IllegalArgumentException if the target's body is no JSON object
     */
    public static ConformanceReport of(TriedServer target) {
        Trial.requireObject(target.body());
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build()) {
            requireAccess(new Trial(target, http));
            return new ConformanceReport(
                    Rules.ALL.stream().map(rule -> new ConformanceReport.Line(rule, check(rule, new Trial(target, http)))).toList());
        }
    }

    /** Else each rule would seem broken. The request has no field, so that it makes nothing. */
    private static void requireAccess(Trial trial) {
        TriedServer target = trial.target;
        Seen seen = first(trial, target.token());
        if (isDenied(seen)) {
            throw NotTriable.wrongTarget("the server answers %d to this token, so nothing was tried: give one that may send requests there"
                    .formatted(seen.status()));
        }
        if (seen.status() >= 500 && seen.status() != NOT_IMPLEMENTED) {
            throw NotTriable.unreachable("%s answers %d, so nothing was tried: try again when the server is well"
                    .formatted(target.endpoint(), seen.status()));
        }
        if (target.isChargeonce() && !seen.body().contains("urn:chargeonce:problem:")) {
            throw NotTriable.wrongTarget(("%s is not a Chargeonce server (it answers %d), so nothing was tried: "
                    + "give the path of its endpoint in --url, and a request that it accepts in --body")
                    .formatted(target.endpoint(), seen.status()));
        }
        if (TAKES_NO_POST.contains(seen.status()) || seen.status() / 100 == 3) {
            throw NotTriable.wrongTarget("%s answers %d to POST, so nothing was tried: give the endpoint that takes POST in --url"
                    .formatted(target.endpoint(), seen.status()));
        }
        target.otherToken().map(token -> first(new Trial(target, trial.http), token)).filter(Conformance::isDenied).ifPresent(denied -> {
            throw NotTriable.wrongTarget(
                    "the server answers %d to --other-token, so nothing was tried: give one of another tenant, or none"
                            .formatted(denied.status()));
        });
    }

    private static boolean isDenied(Seen seen) {
        return seen.status() == 401 || seen.status() == 403;
    }

    private static Seen first(Trial trial, String token) {
        try {
            return trial.send(Optional.of(trial.key), "{}", token);
        } catch (UncheckedIOException e) {
            throw isAway(e.getCause()) ? NotTriable.unreachable(AWAY.formatted(trial.target.endpoint()))
                    : NotTriable
                            .unreachable("%s gives no HTTP answer, so nothing was tried: check the address and whether it is http or https"
                                    .formatted(trial.target.endpoint()));
        }
    }

    private static boolean isAway(Throwable failure) {
        return failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
    }

    private static Rule.Finding check(Rule rule, Trial trial) {
        try {
            return rule.check().apply(trial);
        } catch (UncheckedIOException | CompletionException e) {
            if (e.getCause() instanceof NotTriable limited) {
                throw limited;
            }
            if (isAway(e.getCause())) {
                throw NotTriable.unreachable(GONE.formatted(trial.target.endpoint()));
            }
            return new Rule.Finding.Broken("an answer", "no answer: " + e.getCause());
        }
    }
}
