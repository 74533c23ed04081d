// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "purge", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Takes dead letters out of the queue. restore brings them back within 30 days. Shows what it would do, and does it with --yes.",
            "It never purges a payment whose money was taken. With --even-unresolved it also purges those whose money may have "
                    + "been taken.",
            "Ctrl-C stops it between two batches. A run that was stopped or killed can be resumed, and moves nothing twice."},
        exitCodeList = {"1:an id is not there or was refused, the set is not the expected one, or the run has not finished",
            "130:stopped by Ctrl-C between two batches; the output says how to go on"},
        footer = {"  Give up records that cannot be read; try it without --yes first:",
            "    chargeonce dlq purge --standing poison --reason \"load test\" --yes",
            "  The same, but only if it is what was looked at:",
            "    chargeonce dlq purge --standing poison --reason test --expect-count 12 --yes",
            "  Five first; look at them, and then the rest:",
            "    chargeonce dlq purge --merchant acme --canary 5 --reason test --yes",
            "    chargeonce dlq purge --resume run_0123456789"})
final class PurgeCommand extends ChangeCommand {

    @Option(names = "--even-unresolved",
            description = "Also payments whose money may have been taken. Nothing is sent for them any more, and what the PSP has already "
                    + "it may still execute. Where the PSP can be queried without sending, the resolver goes on; at Adyen its "
                    + "webhook, its report or settle tells. A payment that moved money is then settled, with an incident.")
    boolean evenUnresolved;

    @Override
    RunKind kind() {
        return RunKind.PURGE;
    }

    @Override
    boolean anyMore() {
        return evenUnresolved;
    }

    @Override
    RunTerms terms(DeadLetterFilter filter, InputProblems problems) {
        return careful.terms(problems).evenUnresolved(evenUnresolved);
    }
}
