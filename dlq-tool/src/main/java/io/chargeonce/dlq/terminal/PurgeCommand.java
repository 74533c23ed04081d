// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.input.Problems;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.Expected;
import io.chargeonce.dlq.terminal.options.SelectionOptions;
import io.chargeonce.dlq.words.Change;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "purge", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Takes dead letters out of the queue. restore brings them back within 30 days. Shows what it would do, and does it with --yes.",
            "It never purges a payment whose money was taken. With --even-unresolved it also purges those whose money may have "
                    + "been taken."},
        exitCodeList = {"1:an id is not there or was refused, or the set is not the expected one",
            "130:stopped by Ctrl-C between two batches; the same command does the rest"},
        footer = {"  Give up records that cannot be read; try it without --yes first:",
            "    chargeonce dlq purge --standing poison --reason \"load test\" --yes",
            "  The same, but only if it is what was looked at:",
            "    chargeonce dlq purge --standing poison --reason test --expect-count 12 --yes"})
final class PurgeCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    SelectionOptions selection;

    @Option(names = "--even-unresolved",
            description = "Also payments whose money may have been taken. Nothing is sent for them any more, and what the PSP has already "
                    + "it may still execute. Where the PSP can be asked without sending, the resolver goes on asking; at Adyen its "
                    + "webhook, its report or settle tells. A payment that moved money is then settled, with an incident.")
    boolean evenUnresolved;

    @Option(names = "--resume", paramLabel = "RUN", description = "Do what was frozen as this run, once another person has approved it.")
    Optional<String> resume = Optional.empty();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        if (resume.isPresent()) {
            return resume(problems);
        }
        DeadLetterFilter filter = selection.filter(problems);
        problems.needsReason(selection.reason);
        var run = new ChangeRun(new Change.Purging(evenUnresolved), spec, filter, selection.reason, selection.yes,
                selection.expected(problems), common.json);
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, run::on);
    }

    private int resume(Problems problems) {
        if (selection.any()) {
            problems.add("a run keeps the set that was frozen: name only the run, and a --reason if you like");
        }
        problems.reason("--reason", selection.reason);
        var run = new ChangeRun(new Change.Purging(false), spec, DeadLetterFilter.everything(), selection.reason, true,
                new Expected(Optional.empty(), Optional.empty()), common.json);
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> run.resume(queue, resume.get()));
    }
}
