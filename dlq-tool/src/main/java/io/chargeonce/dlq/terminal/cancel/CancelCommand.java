// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.cancel;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.run.Cancels;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "cancel", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Cancels payments in any state, for good: they are not charged any more. Their merchant is informed, and can do the "
                + "same over the API.",
            "A payment that no attempt can have charged is canceled at once. For the others the PSP is queried. An attempt that has "
                    + "begun is finished, and no new one begins. If one was charged, it stays charged; refund it.",
            "Shows what it would do, and does it with --yes. A purge removes only dead letters, and can be undone for 30 days. waiting "
                    + "--stop only ends the retries."},
        exitCodeList = "1:a payment is not there, or has ended already",
        footer = {"  The merchant has cancelled the order:",
            "    chargeonce dlq cancel ID --reason \"order cancelled, ticket 4711\" --yes"})
public final class CancelCommand implements Callable<Integer> {

    private static final int NO = 1;

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The payments' ids.")
    List<String> ids;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows what it would do.")
    boolean yes;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        problems.needsReason(reason);
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::cancel);
    }

    private int cancel(DeadLetterQueue queue) {
        var cancels = new Cancels(queue);
        Screen screen = Screen.of(spec);
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        boolean all = true;
        for (String id : ids.stream().distinct().toList()) {
            Cancels.Canceled one = yes ? cancels.cancel(id, by) : cancels.look(id);
            all &= one.result().isDone();
            if (common.json) {
                JsonLines.print(screen, json(one, by));
            } else {
                screen.say("%s%s: %s".formatted(one.id(),
                        one.money().map(money -> ", %s, %s".formatted(money, one.state().orElseThrow())).orElse(""), words(one.result())));
            }
        }
        if (!common.json) {
            screen.say(yes ? "As %s by %s. dlq why ID shows what becomes of each.".formatted(by.run(), by.actor())
                    : "Nothing was changed. Do it with --yes.");
        }
        return all ? 0 : NO;
    }

    private Map<String, Object> json(Cancels.Canceled one, AuditContext by) {
        var json = new LinkedHashMap<String, Object>();
        json.put("payment_id", one.id());
        json.put("dry", !yes);
        json.put("result", one.result().tag());
        Json.putIfPresent(json, "state", one.state());
        if (yes) {
            json.put("run", by.run());
        }
        return json;
    }

    private String words(Cancels.Result result) {
        return switch (result) {
            case CANCELED -> yes ? "canceled." : "would be canceled.";
            case CANCELING -> yes ? "the PSP is queried, and it is canceled unless it was charged."
                    : "the PSP would be queried, and it would be canceled unless it was charged.";
            case CAPTURED -> "was charged already; refund it.";
            case DECLINED -> "was declined; there is nothing to cancel.";
            case PURGED -> "was purged and has ended; there is nothing to cancel.";
            case UNKNOWN -> "there is no payment with this id.";
        };
    }
}
