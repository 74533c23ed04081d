// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.MoneyStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select dead letters. */
public final class FilterOptions {

    @Option(names = "--cause", paramLabel = "CAUSE", description = "Only this cause, as list or summary shows it.")
    Optional<String> cause;

    @Option(names = "--psp", paramLabel = "PSP", description = "Only those whose last attempt went to this PSP.")
    Optional<String> psp;

    @Option(names = "--merchant", paramLabel = "MERCHANT", description = "Only this merchant's.")
    Optional<String> merchant;

    @Option(names = "--older-than", paramLabel = "AGE", description = "Dead for at least this long: 45s, 3m, 2h, 5d.")
    Optional<String> olderThan;

    @Option(names = "--newer-than", paramLabel = "AGE", description = "Dead for less than this.")
    Optional<String> newerThan;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Died at this time or later: 2026-11-22T10:00Z, or 2026-11-22 for midnight UTC.")
    Optional<String> since;

    @Option(names = "--until", paramLabel = "TIME", description = "Died before this time, written the same way.")
    Optional<String> until;

    @Option(names = "--text", paramLabel = "TEXT",
            description = "Only those with this text in the message. Poison is encrypted: export it and search the file.")
    Optional<String> text;

    @Option(names = "--standing", paramLabel = "STANDING",
            description = "Only those that are rechargeable (no attempt took money), past_deadline (the same, and too late), "
                    + "needs_a_person (merged too often), stopped (by a person), charged (the money was taken), unresolved (it may have "
                    + "been), poison (cannot be read), or mended (poison that a person has edited).")
    Optional<String> standing;

    @Mixin
    TraitOptions traits;

    public DeadLetterFilter filter(Optional<List<String>> ids, InputProblems problems) {
        return new DeadLetterFilter(ids, cause, psp, merchant, problems.age("--older-than", olderThan),
                problems.age("--newer-than", newerThan), problems.time("--since", since), problems.time("--until", until), text,
                standing(problems), traits.traits(problems));
    }

    private Optional<MoneyStatus> standing(InputProblems problems) {
        Optional<MoneyStatus> known = standing
                .flatMap(given -> Arrays.stream(MoneyStatus.values()).filter(s -> s.tag().equals(given.toLowerCase(Locale.ROOT)))
                        .findFirst());
        if (standing.isPresent() && known.isEmpty()) {
            problems.add("--standing is '%s', but must be one of %s".formatted(standing.get(),
                    Arrays.stream(MoneyStatus.values()).map(MoneyStatus::tag).collect(Collectors.joining(", "))));
        }
        return known;
    }
}
