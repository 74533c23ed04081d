// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** All that is wrong with how a command was called, printed at once. */
public final class InputProblems {

    public static final int EXIT = 2;

    private final List<String> problems = new ArrayList<>();

    public void add(String problem) {
        problems.add(problem);
    }

    /** Each as one sentence without its end. */
    public List<String> all() {
        return List.copyOf(problems);
    }

    public boolean any() {
        return !problems.isEmpty();
    }

    /** Each problem on a line of its own; returns the exit code. */
    public int print(CommandLine.Model.CommandSpec command) {
        var err = command.commandLine().getErr();
        problems.forEach(problem -> Screen.tell(command, problem));
        err.println("Try '" + command.qualifiedName(" ") + " --help'. Nothing was changed.");
        err.flush();
        return EXIT;
    }

    /** A reason that has to be given. */
    public void needsReason(Optional<String> reason) {
        if (reason.isEmpty()) {
            add("--reason is missing: say why, it is kept in the audit log");
        }
        reason("--reason", reason);
    }

    /** A reason, or another word of a person for what they do, where it is given. */
    public void reason(String option, Optional<String> reason) {
        reason.flatMap(text -> Reason.problem(option, text)).ifPresent(this::add);
        kept(option, reason);
    }

    /** An option's value that is kept in the audit log, where a card number could never be taken out. */
    public void kept(String option, Optional<String> text) {
        if (text.filter(CardNumbers::isIn).isPresent()) {
            add("%s holds what can be a card number: leave it out, for the audit log keeps this for ever".formatted(option));
        }
    }

    private static final int MOST_NAMED = 40;

    /** An option's value that names nothing that exists. */
    public void unknown(KnownValues.Unknown unknown) {
        SortedSet<String> known = unknown.known();
        String meant = Similar.to(unknown.value(), known).map(" Did you mean %s?"::formatted).orElse("");
        String named = known.isEmpty() ? "" : " Known: %s%s.".formatted(
                known.stream().limit(MOST_NAMED).collect(Collectors.joining(", ")), known.size() > MOST_NAMED ? ", …" : "");
        add("%s is '%s', which %s.%s%s".formatted(unknown.option(), unknown.value(), unknown.why(), meant, named));
    }

    /** An option's value as an age. */
    public Optional<Duration> age(String option, Optional<String> text) {
        Optional<Duration> age = text.flatMap(Ages::parse);
        if (text.isPresent() && age.isEmpty()) {
            add("%s is '%s', but must be a number and s, m, h or d, such as 45s or 2h".formatted(option, text.get()));
        }
        return age;
    }

    /** An option's value as a time: with an offset, or as a date at midnight UTC. */
    public Optional<Instant> time(String option, Optional<String> text) {
        Optional<Instant> time = text.flatMap(Times::parse);
        if (text.isPresent() && time.isEmpty()) {
            add(("%s is '%s', but must be a time such as 2026-11-22T10:00Z or a date such as 2026-11-22; --newer-than and --older-than "
                    + "take ages")
                    .formatted(option, text.get()));
        }
        return time;
    }

    /** An option's value as an amount of money. */
    public Optional<Long> minorUnits(String option, Optional<String> text) {
        if (text.isPresent() && !text.get().matches("\\d{1,12}")) {
            add("%s is '%s', but must be a whole number of minor units, such as 1299 for 12.99 EUR".formatted(option, text.get()));
            return Optional.empty();
        }
        return text.map(Long::valueOf);
    }

    /** An option's value as a whole number from 1. */
    public Optional<Integer> number(String option, Optional<String> text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (!text.get().matches("[1-9]\\d{0,8}")) {
            add("%s is '%s', but must be a whole number from 1 to 999999999".formatted(option, text.get()));
            return Optional.empty();
        }
        return text.map(Integer::valueOf);
    }
}
