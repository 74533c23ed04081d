// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.dlq.input.FilterOptions;
import io.chargeonce.dlq.input.MergeTermsOptions;
import io.chargeonce.dlq.input.RunTermsOptions;
import io.chargeonce.dlq.input.WaitingOptions;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.text.Cut;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine;

/** Filters and terms by the names of the command line's options, read by the command line's own classes. */
public final class Filters {

    @Command
    private static final class Letters {
        @Mixin
        FilterOptions options;
    }

    @Command
    private static final class Waiting {
        @Mixin
        WaitingOptions options;
    }

    @Command
    private static final class Terms {
        @Mixin
        RunTermsOptions careful;
        @Mixin
        MergeTermsOptions more;
    }

    private Filters() {}

    /** @throws Refusal if it is no filter, or names what does not exist */
    public static DeadLetterFilter letters(DeadLetterQueue queue, Map<String, String> given, Optional<List<String>> ids) {
        Letters parsed = parse(new Letters(), given, List.of());
        DeadLetterFilter filter = checked(problems -> parsed.options.filter(ids, problems));
        known(KnownValues.missing(queue, filter.cause(), filter.psp(), filter.merchant(), filter.traits().tier(),
                filter.traits().run()));
        return filter;
    }

    /** @throws Refusal if it is no filter, or names what does not exist */
    public static WaitingFilter waiting(DeadLetterQueue queue, Map<String, String> given, List<String> ids) {
        Waiting parsed = parse(new Waiting(), given, ids);
        WaitingFilter filter = checked(parsed.options::filter);
        known(KnownValues.missing(queue, filter.cause(), filter.psp(), filter.merchant(), filter.tier(), Optional.empty()));
        return filter;
    }

    /** @param evenCapped also payments that were merged too often */
    public static RunTerms terms(RunKind kind, Map<String, String> given, boolean evenCapped) {
        Terms parsed = parse(new Terms(), given, List.of());
        if (kind != RunKind.MERGE && (parsed.more.any() || evenCapped)) {
            throw io.chargeonce.console.answer.ConsoleProblems.wrong("Only a merge has such terms.").refusal();
        }
        if (kind != RunKind.MERGE) {
            return checked(parsed.careful::terms);
        }
        RunTerms terms = checked(problems -> parsed.more.terms(parsed.careful, problems));
        return new RunTerms(terms.givenCanary(), terms.rate(), terms.maxRate(), terms.abortAbovePercent(), evenCapped);
    }

    /** A text that is kept in the audit log. */
    public static Optional<String> reason(Optional<String> given, boolean needed) {
        if (given.filter(text -> Cut.isLonger(text, Holds.LONGEST_REASON)).isPresent()) {
            throw io.chargeonce.console.answer.ConsoleProblems.wrong("reason is longer than %d characters.".formatted(Holds.LONGEST_REASON))
                    .refusal();
        }
        return checked(problems -> {
            if (needed) {
                problems.needsReason(given);
            } else {
                problems.reason("reason", given);
            }
            return given;
        });
    }

    /** What a look without masks would write into the audit log about its filter. */
    public static void checkKept(DeadLetterFilter filter) {
        checked(problems -> {
            filter.freeTexts().forEach((name, text) -> problems.kept(name, Optional.of(text)));
            return filter;
        });
    }

    private static <T> T parse(T holder, Map<String, String> given, List<String> ids) {
        String[] options = java.util.stream.Stream.concat(given.entrySet().stream().map(Filters::option),
                java.util.stream.Stream.concat(java.util.stream.Stream.of("--"), ids.stream())).toArray(String[]::new);
        try {
            new CommandLine(holder).setExpandAtFiles(false).setOverwrittenOptionsAllowed(false).parseArgs(options);
            return holder;
        } catch (CommandLine.ParameterException e) {
            throw io.chargeonce.console.answer.ConsoleProblems.wrong("There is no such filter, or it is not written so.").refusal();
        }
    }

    private static String option(Map.Entry<String, String> given) {
        String name = given.getKey().replace('_', '-');
        // A shortened or another kind of option is none of a filter's.
        if (!name.matches("[a-z][a-z-]{1,30}") || name.equals("help")) {
            throw io.chargeonce.console.answer.ConsoleProblems.wrong("There is no such filter.").refusal();
        }
        return "--" + name + "=" + given.getValue();
    }

    private static <T> T checked(Function<InputProblems, T> read) {
        var problems = new InputProblems();
        T value = read.apply(problems);
        refuse(problems);
        return value;
    }

    private static void known(List<KnownValues.Unknown> missing) {
        var problems = new InputProblems();
        missing.forEach(problems::unknown);
        refuse(problems);
    }

    /** @throws Refusal if it is present */
    public static void refuseUnknown(Optional<KnownValues.Unknown> unknown) {
        known(unknown.stream().toList());
    }

    private static void refuse(InputProblems problems) {
        if (problems.any()) {
            String all = String.join("; ", problems.all()).replaceAll("(^|; )--", "$1");
            throw io.chargeonce.console.answer.ConsoleProblems.wrong(all.endsWith(".") ? all : all + ".").refusal();
        }
    }
}
