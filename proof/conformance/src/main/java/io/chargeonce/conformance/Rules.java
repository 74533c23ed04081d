// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import io.chargeonce.conformance.Rule.Finding;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** All rules, in the order in which a client comes to rely on them. */
final class Rules {

    static final List<Rule> ALL = List.of(
            Rule.must("first", "A first request under a new key is carried out.",
                    trial -> onceAccepted(trial, (first, none) -> new Finding.Kept(first.toString()))),
            Rule.must("key-missing", "A request without a key is refused, for it could not be repeated safely.", Rules::keyMissing),
            Rule.must("key-malformed", "An empty key and one of 10,000 characters are refused and not cut to fit.", Rules::keyMalformed),
            Rule.must("replay-identical", "A repeat gets the first answer: status, body, Location and Content-Type.",
                    trial -> onceAccepted(trial, (first, t) -> same(first, t.send()))),
            Rule.should("replay-marked", "A repeat says that it is one, with Idempotent-Replayed.", Rules::replayMarked),
            Rule.must("respelled", "Blanks and the order of fields make no other request.",
                    trial -> onceAccepted(trial, (first, t) -> same(first, t.send(Optional.of(t.key), t.respelled())))),
            Rule.must("quoted", "A key as an RFC 8941 string in quotes is the same key as the bare one.",
                    trial -> onceAccepted(trial, (first, t) -> same(first, t.send(Optional.of('"' + t.key + '"'), t.body)))),
            Rule.must("mismatch", "A key that comes with another request is refused.", Rules::mismatch),
            Rule.must("mismatch-harmless", "After that, the first request still gets its answer.", Rules::mismatchHarmless),
            Rule.must("other-endpoint", "A key that was used at one endpoint is refused at another.", Rules::otherEndpoint),
            Rule.must("case-sensitive", "Keys that differ in case are different keys.", Rules::caseSensitive),
            Rule.must("concurrent", "Of many simultaneous requests with one key one is carried out; the others get its answer or a 409.",
                    Rules::concurrent),
            Rule.must("other-tenant", "The same key of another tenant is another key, and shows nothing of the first.", Rules::otherTenant),
            Rule.must("error-not-stored", "A request that was refused for its content does not use up its key.", Rules::errorNotStored),
            Rule.must("unauthenticated", "A request without a valid credential is refused and does not use up its key.",
                    Rules::unauthenticated),
            Rule.should("expiry", "A repeat says until when the answer is kept, with Idempotency-Expires.", Rules::expiry),
            Rule.should("problem-documents", "Refusals are problem documents as RFC 9457 has them.", Rules::problemDocuments));

    private static final int AT_ONCE = 20;

    private Rules() {}

    private static Finding onceAccepted(Trial trial, BiFunction<Seen, Trial, Finding> then) {
        Seen first = trial.send();
        return first.isSuccess() ? then.apply(first, trial) : new Finding.Broken("2xx to a first request", first.toString());
    }

    private static Finding same(Seen first, Seen second) {
        return Finding.of(second.isTheSameAs(first), "the first answer: " + first, second);
    }

    private static Finding keyMissing(Trial trial) {
        Seen seen = trial.send(Optional.empty(), trial.body);
        return Finding.of(seen.status() == 400, "400", seen);
    }

    private static Finding keyMalformed(Trial trial) {
        Seen empty = trial.send(Optional.of("\"\""), trial.body);
        Seen endless = trial.send(Optional.of("k".repeat(10_000)), trial.body);
        return Finding.of(empty.status() == 400 && endless.isRefusal(), "400 to the empty key, 4xx to the long one",
                empty + " and " + endless);
    }

    private static Finding replayMarked(Trial trial) {
        return onceAccepted(trial, (first, t) -> {
            Seen again = t.send();
            return Finding.of(first.header("Idempotent-Replayed").isEmpty() && again.header("Idempotent-Replayed").isPresent(),
                    "Idempotent-Replayed on the repeat and not on the first",
                    first.header("Idempotent-Replayed") + " and then " + again.header("Idempotent-Replayed"));
        });
    }

    private static Finding mismatch(Trial trial) {
        return onceAccepted(trial, (first, t) -> {
            Seen other = t.send(Optional.of(t.key), t.changed());
            return Finding.of(other.status() == t.target.mismatchStatus(), "" + t.target.mismatchStatus(), other);
        });
    }

    private static Finding mismatchHarmless(Trial trial) {
        return onceAccepted(trial, (first, t) -> {
            t.send(Optional.of(t.key), t.changed());
            return same(first, t.send());
        });
    }

    private static Finding otherEndpoint(Trial trial) {
        if (trial.target.otherEndpoint().isEmpty()) {
            return new Finding.Skipped("needs another endpoint: --other-url");
        }
        return onceAccepted(trial, (first, t) -> {
            String other = t.target.otherEndpoint().get().replace("{location}", first.header("Location").orElse(""));
            Seen seen = t.sendTo(t.target.endpoint().resolve(other), "{}");
            return seen.status() == 401 || seen.status() == 403
                    ? new Finding.Skipped("the token may not use the other endpoint: it answers " + seen.status())
                    : Finding.of(seen.status() == t.target.mismatchStatus(), "" + t.target.mismatchStatus(), seen);
        });
    }

    private static Finding caseSensitive(Trial trial) {
        return onceAccepted(trial, (first, t) -> {
            Seen other = t.send(Optional.of(t.key.toUpperCase(java.util.Locale.ROOT)), t.newBody());
            return Finding.of(other.isSuccess() && !other.body().equals(first.body()), "2xx of its own, not " + first, other);
        });
    }

    private static Finding concurrent(Trial trial) {
        List<Seen> seen;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            seen = IntStream.range(0, AT_ONCE).mapToObj(i -> CompletableFuture.supplyAsync(trial::send, threads)).toList()
                    .stream().map(CompletableFuture::join).toList();
        }
        List<Seen> accepted = seen.stream().filter(Seen::isSuccess).toList();
        boolean othersWait = seen.stream().allMatch(each -> each.isSuccess() || each.status() == 409);
        boolean one = accepted.stream().map(Seen::body).distinct().count() == 1;
        return Finding.of(one && othersWait && trial.send().body().equals(accepted.getFirst().body()),
                "one answer for all who got one, 409 for the others, and that answer for a repeat",
                seen.stream().map(Seen::toString).distinct().toList());
    }

    private static Finding otherTenant(Trial trial) {
        if (trial.target.otherToken().isEmpty()) {
            return new Finding.Skipped("needs a token of another tenant: --other-token");
        }
        return onceAccepted(trial, (first, t) -> {
            Seen foreign = t.send(Optional.of(t.key), t.body, t.target.otherToken().get());
            return Finding.of(foreign.isSuccess() && !foreign.body().equals(first.body()) && same(first, t.send()) instanceof Finding.Kept,
                    "2xx of its own, not " + first, foreign);
        });
    }

    private static Finding errorNotStored(Trial trial) {
        Seen refused = trial.send(Optional.of(trial.key), "{\"no\": \"such request\"");
        return Finding.unless(refused.isRefusal(), "4xx to a body that is no JSON", refused).orElseGet(() -> {
            Seen corrected = trial.send();
            return Finding.of(corrected.isSuccess(), "2xx to the corrected request under the same key", corrected);
        });
    }

    private static Finding unauthenticated(Trial trial) {
        Seen refused = trial.send(Optional.of(trial.key), trial.body, "conformance-no-such-token");
        return Finding.unless(refused.status() == 401 || refused.status() == 403, "401 or 403", refused).orElseGet(() -> {
            Seen admitted = trial.send();
            return Finding.of(admitted.isSuccess(), "2xx with a valid credential under the same key", admitted);
        });
    }

    private static Finding expiry(Trial trial) {
        return onceAccepted(trial, (first, t) -> {
            Optional<String> expires = t.send().header("Idempotency-Expires");
            return Finding.of(expires.flatMap(Rules::date).filter(Instant.now()::isBefore).isPresent(),
                    "an HTTP date in the future", expires.orElse("no Idempotency-Expires"));
        });
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Finding problemDocuments(Trial trial) {
        Seen refused = trial.send(Optional.empty(), trial.body);
        String type = refused.header("Content-Type").orElse("no Content-Type");
        return Finding.of(type.startsWith("application/problem+json"), "application/problem+json", type);
    }
}
