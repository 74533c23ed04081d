// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.terminal.options.QueueOpener;
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

@Command(name = "pause", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Stops new attempts of a PSP, a merchant or a tier until it is resumed. Nothing is lost, and no attempt is "
                + "counted.",
            "Shows what is affected, and does it with --yes. Every process obeys within two seconds; a call in progress may finish.",
            "A payment whose deadline passes meanwhile is never charged late: it becomes a dead letter (expired)."},
        exitCodeList = "2:there is no such PSP, merchant or tier",
        footer = {"  What would it concern?",
            "    chargeonce dlq pause psp stripe --reason \"charges fail\" --until 2h",
            "  Do it:",
            "    chargeonce dlq pause merchant acme --reason \"stolen token\" --yes",
            "    chargeonce dlq pause tier 2 --reason \"wrong routes\" --until 1h --yes"})
public final class PauseCommand implements Callable<Integer> {

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--until", paramLabel = "AGE",
            description = "Ends by itself after this time, such as 2h. Without it, only resume ends it.")
    Optional<String> until;

    @Mixin
    HoldOptions options;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        Optional<Hold.Kind> known = options.check(problems);
        Optional<Duration> lasting = problems.age("--until", until);
        return problems.any() ? problems.print(spec)
                : dlq.with(spec, queue -> options.call(spec, known.orElseThrow()).pause(queue, lasting));
    }
}
