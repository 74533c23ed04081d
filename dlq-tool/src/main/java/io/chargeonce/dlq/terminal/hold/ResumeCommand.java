// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.ledger.Hold;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "resume", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Ends a pause or a force. Shows what it would do, and does it with --yes.",
            "What was parked meanwhile is tried when it is next due in its tier; 'dlq waiting --now' has it tried at once."},
        exitCodeList = {"1:nothing holds it", "2:there is no such PSP, merchant or tier"},
        footer = {"  What is held?",
            "    chargeonce dlq holds",
            "  Go on:",
            "    chargeonce dlq resume psp stripe --reason \"it is mended\" --yes"})
public final class ResumeCommand implements Callable<Integer> {

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    HoldOptions options;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        Optional<Hold.Kind> known = options.check(problems);
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> options.call(spec, known.orElseThrow()).resume(queue));
    }
}
