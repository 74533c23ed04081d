// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.json.DisputeJson;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.MomentJson;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.LifePage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "why", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Shows a payment's whole life: accepted, every attempt with its answer, every wait in a tier, dead, merged, and by whom.",
            "The payment need not be dead. Parks that repeat are one line; --json prints each."},
        exitCodeList = "1:nothing has this name, or more than one payment has it",
        footer = {"  Why is this payment dead?",
            "    chargeonce dlq why pay_mzxw6ytboi2dgnbvgy3tqojqmf",
            "  What became of order 1001, and of what Stripe calls pi_3Nx?",
            "    chargeonce dlq why order-1001",
            "    chargeonce dlq why pi_3Nx"})
final class WhyCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "The id of a payment, a refund or a dead letter; or the idempotency key, "
            + "the merchant's reference or customer, or the PSP's reference.")
    String id;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::why);
    }

    private int why(DeadLetterQueue queue) {
        Optional<Life> life = new ByName(spec, common.json).one(queue, id, one -> Life.of(queue, one), found -> true,
                "no payment, refund or dead letter has the id, key, reference, customer or PSP reference '%s'");
        if (life.isEmpty()) {
            return 1;
        }
        Screen screen = Screen.of(spec);
        if (common.json) {
            for (Moment moment : life.get().moments()) {
                JsonLines.print(screen, MomentJson.of(moment));
            }
            life.get().disputes().forEach(dispute -> JsonLines.print(screen, DisputeJson.of(dispute)));
            life.get().holds().forEach(hold -> JsonLines.print(screen, Map.of("what", "held", "hold", HoldJson.of(hold))));
        } else {
            LifePage.print(life.get(), screen);
        }
        return 0;
    }
}
