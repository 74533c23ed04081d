// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.personal.Unmasked;
import io.chargeonce.dlq.query.PaymentSearch;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.StoryPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "show", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Shows one dead letter: its payment and every attempt, or the poison record's bytes, and who did what with it.",
            "Card tokens and personal fields are masked unless you say --unmasked."},
        exitCodeList = "1:no dead letter ever had this name, or more than one has it",
        footer = {"  One of those that list shows:",
            "    chargeonce dlq show pay_mzxw6ytboi2dgnbvgy3tqojqmf",
            "  The same by the merchant's idempotency key:",
            "    chargeonce dlq show order-1001"})
final class ShowCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "The dead letter's id, as list shows it; or the payment's idempotency key, "
            + "the merchant's reference or customer, or the PSP's reference.")
    String id;

    @Option(names = "--unmasked",
            description = "With card tokens and personal fields as they are. Needs --reason and the role chargeonce_dlq_unmask.")
    boolean unmasked;

    @Option(names = "--reason", paramLabel = "TEXT", description = "With --unmasked: why; kept in the audit log.")
    Optional<String> reason = Optional.empty();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        if (unmasked) {
            problems.needsReason(reason);
        } else if (reason.isPresent()) {
            problems.add("--reason goes with --unmasked; what is masked needs none");
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::show);
    }

    private int show(DeadLetterQueue queue) {
        Optional<Story> story = new ByName(spec, common.json).one(queue, id, one -> Story.of(queue, one), PaymentSearch.Found::listed,
                "no dead letter ever had the id, key, reference, customer or PSP reference '%s'; list shows those that there are");
        if (story.isEmpty()) {
            return 1;
        }
        if (unmasked) {
            Unmasked.one(queue, story.get().letter().id(), ActsAs.auditContext(spec, queue, reason));
        }
        Story shown = unmasked ? story.get() : story.get().masked();
        if (common.json) {
            JsonLines.print(Screen.of(spec), Json.story(shown));
        } else {
            StoryPage.print(shown, Screen.of(spec));
        }
        return 0;
    }
}
