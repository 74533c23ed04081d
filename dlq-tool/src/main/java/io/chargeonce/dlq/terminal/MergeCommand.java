// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.input.MergeTermsOptions;
import io.chargeonce.dlq.input.InputProblems;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "merge", aliases = {"redrive", "replay"}, usageHelpAutoWidth = true, sortOptions = false,
        description = {"Sends dead letters back through the pipeline. Shows what it would do, and does it with --yes.",
            "What was charged already is settled by the resolver. If it may have been charged, the PSP is queried first. Poison stays.",
            "A few payments go first. The rest follow once these have ended well. The run aborts when too many fail again, also if it has "
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
final class MergeCommand extends ChangeCommand {

    @Mixin
    MergeTermsOptions more;

    @Option(names = "--wait", paramLabel = "AGE", defaultValue = "10s",
            description = "How long to wait for the outcomes of the last payments, and for a canary that a pause holds. The default is "
                    + "${DEFAULT-VALUE}; 0 does not wait.")
    String wait;

    @Override
    RunKind kind() {
        return RunKind.MERGE;
    }

    @Override
    boolean anyMore() {
        return more.any();
    }

    @Override
    RunTerms terms(DeadLetterFilter filter, InputProblems problems) {
        if (more.evenCapped && filter.ids().isEmpty()) {
            problems.add("--even-capped needs ids: look at each of these payments first");
        }
        return more.terms(careful, problems);
    }

    @Override
    Duration patience(InputProblems problems) {
        return wait.equals("0") ? Duration.ZERO : problems.age("--wait", Optional.of(wait)).orElse(Duration.ZERO);
    }
}
