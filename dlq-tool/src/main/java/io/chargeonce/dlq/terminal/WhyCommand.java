// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.LifePage;
import io.chargeonce.dlq.terminal.page.MomentWords;
import io.chargeonce.dlq.terminal.screen.Json;
import io.chargeonce.dlq.terminal.screen.Printable;
import io.chargeonce.dlq.terminal.screen.Screen;
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
            "Tells a payment's whole life: accepted, every attempt with its answer, every wait in a tier, dead, merged, by whom.",
            "Also of a payment that is not dead."},
        exitCodeList = "1:there is neither a payment nor a dead letter of this id",
        footer = {"  How did this payment come to be dead?",
            "    chargeonce dlq why pay_mzxw6ytboi2dgnbvgy3tqojqmf"})
final class WhyCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The payment's id, or a dead letter's.")
    String id;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::why);
    }

    private int why(DeadLetterQueue queue) {
        Optional<Life> life = Life.of(queue, id);
        if (life.isEmpty()) {
            spec.commandLine().getErr().println("%s: there is no payment and no dead letter with the id '%s'"
                    .formatted(spec.qualifiedName(" "), Printable.of(id)));
            return 1;
        }
        Screen screen = Screen.of(spec);
        if (common.json) {
            for (Moment moment : life.get().moments()) {
                Json.print(screen, MomentWords.json(moment));
            }
        } else {
            LifePage.print(life.get(), screen);
        }
        return 0;
    }
}
