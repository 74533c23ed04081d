// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.input.Problems;
import io.chargeonce.dlq.input.RunTermsOptions;
import io.chargeonce.dlq.merge.RunTerms;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.Expected;
import io.chargeonce.dlq.terminal.options.SelectionOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "merge", aliases = {"redrive", "replay"}, usageHelpAutoWidth = true, sortOptions = false,
        description = {"Sends dead letters back through the pipeline. Shows what it would do, and does it with --yes.",
            "What was charged already is settled by the resolver. If it may have been charged, the PSP is asked first. Poison stays.",
            "A few payments go first. The rest follow once these have ended well. The run stops when too many fail again, also if it has "
                    + "sent all of them by then.",
            "Ctrl-C stops it between two batches. A run that was stopped or killed can be resumed, and moves nothing twice."},
        exitCodeList = {"1:an id is not there or was refused, the set is not the expected one, or the run has not finished: "
                + "also if its payments die again",
            "130:stopped by Ctrl-C between two batches; the output says how to go on"},
        footer = {"  What would be done?",
            "    chargeonce dlq merge --psp stripe",
            "  The PSP is well again: try its payments once more, ten a second, then faster:",
            "    chargeonce dlq merge --psp stripe --rate 10 --reason \"well again\" --yes",
            "  Freeze a set, let a colleague look at it, then merge exactly that:",
            "    chargeonce dlq merge --cause psp_unwell --plan",
            "    chargeonce dlq merge --resume run_0123456789"})
final class MergeCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    SelectionOptions selection;

    @Option(names = "--plan", description = "Freeze the set as a run, and move nothing. --resume confirms it.")
    boolean plan;

    @Mixin
    RunTermsOptions careful;

    @Option(names = "--resume", paramLabel = "RUN", description = "Go on with a run that was planned, stopped, killed or aborted. "
            + "If its leader may have been killed, this waits until the leader has been silent for 15 s.")
    Optional<String> resume;

    @Option(names = "--cancel", paramLabel = "RUN", description = "End a run for good. What it moved stays moved.")
    Optional<String> cancel;

    @Option(names = "--wait", paramLabel = "AGE", defaultValue = "10s",
            description = "How long to wait for the outcomes of the last payments. The default is ${DEFAULT-VALUE}; 0 does not wait.")
    String wait;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        Duration patience = wait.equals("0") ? Duration.ZERO : problems.age("--wait", Optional.of(wait)).orElse(Duration.ZERO);
        var call = new MergeCall(spec, selection.reason, patience, common.json);
        if (resume.isPresent() || cancel.isPresent()) {
            checkAlone(problems);
            return problems.any() ? problems.print(spec)
                    : dlq.with(spec, queue -> resume.isPresent() ? call.resume(queue, resume.get()) : call.cancel(queue, cancel.get()));
        }
        DeadLetterFilter filter = selection.filter(problems);
        problems.reason("--reason", selection.reason);
        RunTerms terms = careful.terms(problems);
        if (careful.evenCapped && filter.ids().isEmpty()) {
            problems.add("--even-capped needs ids: look at each of these payments first");
        }
        if (plan && selection.yes) {
            problems.add("--plan moves nothing and --yes does it: say one of them");
        }
        MergeCall.Extent extent = selection.yes ? MergeCall.Extent.ALL : plan ? MergeCall.Extent.PLAN : MergeCall.Extent.LOOK;
        Expected expected = selection.expected(problems);
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, queue -> call.begin(queue, filter, terms, expected, extent));
    }

    private void checkAlone(Problems problems) {
        if (resume.isPresent() && cancel.isPresent()) {
            problems.add("--resume goes on and --cancel ends: say one of them");
        }
        if (plan || careful.any() || selection.any()) {
            problems.add("a run keeps the set and the care it was planned with: name only the run, and a --reason if you like");
        }
        problems.reason("--reason", selection.reason);
    }
}
