// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.ledger.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "force", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Overrules a PSP's circuit breaker: it counts as closed, for at most 24 hours. For a breaker that is wrong.",
            "The PSP's rate limits (429, Retry-After) still apply. A failure because the PSP is unwell uses up no attempt.",
            "Shows what it would do, and does it with --yes."},
        exitCodeList = "2:there is no such PSP, or no end is given",
        footer = {"  The breaker is open and the PSP is well:",
            "    chargeonce dlq force psp stripe --until 30m --reason \"it is well\" --yes"})
public final class ForceCommand implements Callable<Integer> {

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--until", paramLabel = "AGE", description = "Ends by itself after this time, at most 24h.")
    Optional<String> until;

    @Mixin
    HoldOptions options;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        Optional<Hold.Kind> known = options.check(problems);
        known.filter(one -> one != Hold.Kind.PSP)
                .ifPresent(one -> problems.add("only a PSP is forced: a %s has no breaker".formatted(one.tag())));
        Optional<Duration> lasting = problems.age("--until", until);
        if (until.isEmpty() || lasting.filter(time -> time.compareTo(Holds.LONGEST_FORCE) > 0).isPresent()) {
            problems.add("--until is needed and is at most %dh: a breaker is not overruled for longer"
                    .formatted(Holds.LONGEST_FORCE.toHours()));
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec,
                queue -> options.call(spec, Hold.Kind.PSP).force(queue, lasting.orElseThrow()));
    }
}
