// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.terminal.page.HoldPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.ledger.Hold;
import io.chargeonce.terminal.Screen;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "holds", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Shows what people have paused or forced: who, since when, until when, and why.",
            "What was held before is in the audit log."},
        footer = {"  What is held?",
            "    chargeonce dlq holds",
            "  And what was?",
            "    chargeonce dlq audit --action dlq.paused"})
public final class HoldsCommand implements Callable<Integer> {

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::show);
    }

    private int show(DeadLetterQueue queue) {
        List<Hold> holds = new Holds(queue).list();
        Screen screen = Screen.of(spec);
        if (common.json) {
            holds.forEach(hold -> JsonLines.print(screen, HoldJson.of(hold)));
        } else {
            HoldPage.print(holds, screen);
        }
        return 0;
    }
}
