// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * What the console's witness says of the books, by its metrics, beside what the checker says. The witness reads topics and no PSP, so it
 * can
 * contradict the checker only about what is lost or stuck on its way. For one thread.
 */
record WitnessedConsole(URI admin) {

    /** What it says of the books. */
    enum Word {
        /** Everything was read, nothing is missing, nothing is overdue, and only the dead letters have not ended. */
        BALANCED,
        /** Something is missing or overdue, or it counts something else than the queue. */
        DIFFERENT,
        /** It does not answer, or has not read everything. */
        UNKNOWN
    }

    /**
     * @param after      how long it took to say so
     * @param objection  why this and the verdict cannot both be true
     */
    record Testimony(Word word, String figures, Duration after, Optional<String> objection) {

        @Override
        public String toString() {
            return "witness %s after %.1f s".formatted(tag(word), after.toMillis() / 1e3);
        }
    }

    /** Longer than what a payment may take by the console's settings. */
    static final String OVERDUE_AFTER = "6s";
    static final String DIFFERENCE_AFTER = "1s";

    /** A killed console starts, its group waits ten seconds for the dead member, and its stores are read again. */
    private static final Duration TO_TELL = Duration.ofSeconds(90);
    private static final Duration TO_ANSWER = Duration.ofSeconds(2);
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);

    record Said(Word word, String figures) {}

    /**
     * Waits until it says what the verdict demands, or its time is over.
     *
     * @param letters what is in the dead-letter queue, by its table; at rest nothing else is open
     * @param again   the checker once more: what was stuck on a slow machine may have come to its end while the witness was asked
     */
    Testimony beside(CheckVerdict verdict, long letters, Supplier<CheckVerdict> again) {
        OptionalLong rest = verdict.balanced() ? OptionalLong.of(letters) : OptionalLong.empty();
        Optional<Word> due =
                verdict.balanced() ? Optional.of(Word.BALANCED) : sees(verdict) ? Optional.of(Word.DIFFERENT) : Optional.empty();
        long began = System.nanoTime();
        Said said = ask(rest);
        while (due.isPresent() && said.word != due.get() && System.nanoTime() - began < TO_TELL.toNanos()) {
            Pauses.of(LOOK_EVERY);
            said = ask(rest);
        }
        boolean agrees = due.isEmpty() || due.get() == said.word || !verdict.balanced() && !sees(again.get());
        return new Testimony(said.word, said.figures, Duration.ofNanos(System.nanoTime() - began), agrees ? Optional.empty()
                : Optional.of("The checker says %s, and %d letters are dead; the witness says %s after %d s: %s".formatted(
                        tag(verdict.kind()), letters, tag(said.word), TO_TELL.toSeconds(), said.figures)));
    }

    private static String tag(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }

    /** Whether something is wrong that shows on the topics: a payment that does not come to its end there. */
    static boolean sees(CheckVerdict verdict) {
        return verdict.kind() == CheckVerdict.Kind.UNKNOWN || verdict.violations().stream().anyMatch(WitnessedConsole::shows);
    }

    private static boolean shows(Violation violation) {
        return violation.subject().isPresent() && (violation.invariant() == Invariant.ALIVE_AFTER_HEAL
                || violation.invariant() == Invariant.OUTCOME_AGREES && violation.sentence().endsWith("has no outcome event"));
    }

    private Said ask(OptionalLong letters) {
        try (var http = HttpClient.newBuilder().connectTimeout(TO_ANSWER).build()) {
            var request = HttpRequest.newBuilder(admin.resolve("/metrics")).timeout(TO_ANSWER).build();
            return read(http.send(request, HttpResponse.BodyHandlers.ofString()).body(), letters);
        } catch (IOException notNow) {
            return new Said(Word.UNKNOWN, "it does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Said(Word.UNKNOWN, "interrupted");
        }
    }

    /** @param letters present if nothing else may be open */
    static Said read(String metrics, OptionalLong letters) {
        double live = sum(metrics, "chargeonce_witness_live");
        double missing = sum(metrics, "chargeonce_witness_difference");
        double overdue = sum(metrics, "chargeonce_witness_overdue");
        double missed = sum(metrics, "chargeonce_witness_missed_total");
        double open = sum(metrics, "chargeonce_witness_open");
        String figures =
                "live %.0f, difference %.0f, overdue %.0f, open %.0f, behind %.0f, missed %.0f".formatted(
                        live, missing, overdue, open,
                        sum(metrics, "chargeonce_witness_behind_records"), missed);
        if (live < 1) {
            return new Said(Word.UNKNOWN, figures);
        }
        return new Said(missing + overdue > 0 || letters.isPresent() && open != letters.getAsLong() ? Word.DIFFERENT : Word.BALANCED,
                figures);
    }

    /** Of all series of this name. */
    private static double sum(String metrics, String name) {
        return metrics.lines().filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }
}
