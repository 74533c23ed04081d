// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.Expected;
import io.chargeonce.dlq.input.RunTermsOptions;
import io.chargeonce.dlq.terminal.options.SelectionOptions;
import io.chargeonce.dlq.input.InputProblems;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** merge, purge and restore: each begins a run of its kind, goes on with one, or ends one. */
abstract class ChangeCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    SelectionOptions selection;

    @Option(names = "--plan", description = "Freeze the set as a run, and move nothing. --resume confirms it.")
    boolean plan;

    @Option(names = "--resume", paramLabel = "RUN", description = "Go on with a run that was planned, stopped, killed or aborted. "
            + "If its leader may have been killed, this waits until the leader has been silent for 15 s.")
    Optional<String> resume;

    @Option(names = "--cancel", paramLabel = "RUN", description = "End a run for good. What it moved stays moved.")
    Optional<String> cancel;

    @Mixin
    RunTermsOptions careful;

    @Mixin
    CommonOptions common;

    abstract RunKind kind();

    /** Whether terms are given that only this kind has. */
    boolean anyMore() {
        return false;
    }

    /** Also those. */
    RunTerms terms(DeadLetterFilter filter, InputProblems problems) {
        return careful.terms(problems);
    }

    /** How long the outcomes of the last payments are worth waiting for. */
    Duration patience(InputProblems problems) {
        return Duration.ZERO;
    }

    @Override
    public Integer call() {
        var problems = new InputProblems();
        var call = new RunCall(kind(), spec, selection.reason, patience(problems), common.json);
        if (resume.isPresent() || cancel.isPresent()) {
            checkAlone(problems);
            return problems.any() ? problems.print(spec)
                    : dlq.with(spec, queue -> resume.isPresent() ? call.resume(queue, resume.get()) : call.cancel(queue, cancel.get()));
        }
        DeadLetterFilter filter = selection.filter(problems);
        if (kind().needsReason()) {
            problems.needsReason(selection.reason);
        } else {
            problems.reason("--reason", selection.reason);
        }
        RunTerms terms = terms(filter, problems);
        if (plan && selection.yes) {
            problems.add("--plan moves nothing and --yes does it: say one of them");
        }
        RunCall.Extent extent = selection.yes ? RunCall.Extent.ALL : plan ? RunCall.Extent.PLAN : RunCall.Extent.LOOK;
        Expected expected = selection.expected(problems);
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, queue -> call.begin(queue, filter, terms, expected, extent));
    }

    private void checkAlone(InputProblems problems) {
        if (resume.isPresent() && cancel.isPresent()) {
            problems.add("--resume goes on and --cancel ends: say one of them");
        }
        if (plan || careful.any() || anyMore() || selection.any()) {
            problems.add("a run keeps the set and the care it was planned with: name only the run, and a --reason if you like");
        }
        problems.reason("--reason", selection.reason);
    }
}
