// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.approval.Settle;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.Operation;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Cut;
import java.time.Duration;
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

@Command(name = "settle", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Settles a payment or a refund by your finding, if the PSP cannot report its outcome.",
            "The charge service queries the PSP once more, by your reference if you give one. The PSP's answer outranks yours; your "
                    + "finding counts only if the PSP cannot report the outcome. If the PSP contradicts you later, that is an incident.",
            "--not-charged sends nothing. The payment becomes dead, and a merge charges it again.",
            "Without --yes it only shows whether it can be done."},
        exitCodeList = "1:nothing is settled yet: it cannot be, the PSP contradicts you, or has not answered in time",
        footer = {"  Adyen's Customer Area shows the money under this reference:",
            "    chargeonce dlq settle ID --charged 8515131751004933 --evidence \"I saw it\"",
            "  Adyen's support says that it never charged:",
            "    chargeonce dlq settle ID --not-charged --evidence \"ticket 4711\" --yes",
            "  What was the result?",
            "    chargeonce dlq why ID"})
final class SettleCommand implements Callable<Integer> {

    private static final int NO = 1;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The payment's id, or a refund's, as list shows it.")
    String id;

    @Option(names = "--charged", paramLabel = "REFERENCE", description = "The money moved: the PSP's own reference for it.")
    Optional<String> charged;

    @Option(names = "--not-charged", description = "No money moved. Only when the PSP has forgotten the attempt's key.")
    boolean notCharged;

    @Option(names = "--evidence", paramLabel = "TEXT", description = "How you know it. Kept with the attempt and in the audit log.")
    Optional<String> evidence;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows whether it can be done.")
    boolean yes;

    @Option(names = "--wait", paramLabel = "AGE", defaultValue = "20s",
            description = "How long to wait for the PSP's answer. The default is ${DEFAULT-VALUE}.")
    String wait;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        if (charged.isPresent() == notCharged) {
            problems.add("say either --charged REFERENCE or --not-charged");
        }
        if (charged.filter(reference -> !reference.matches("[!-~]{1,200}")).isPresent()) {
            problems.add("--charged is no reference: it is 1 to 200 letters, digits and signs without spaces");
        }
        if (evidence.filter(text -> !Cut.isLonger(text, 500)).isEmpty()) {
            problems.add(
                    "--evidence is missing, or longer than 500 characters: say how you know, and name no person; it is kept in the audit "
                            + "log");
        }
        problems.reason("--evidence", evidence);
        Optional<Duration> patience = problems.age("--wait", Optional.of(wait));
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> settle(queue, patience.orElseThrow()));
    }

    private int settle(DeadLetterQueue queue, Duration patience) {
        var settle = new Settle(queue);
        var finding = new Settle.Finding(id, charged, evidence.orElseThrow());
        AuditContext by = ActsAs.auditContext(spec, queue, evidence);
        Settle.Look look = yes ? settle.propose(finding, by) : settle.look(finding);
        if (!look.obstacles().isEmpty()) {
            return cannot(look.obstacles());
        }
        Operation operation = look.operation().orElseThrow();
        Attempt attempt = look.attempt().orElseThrow();
        if (!yes) {
            return wouldDo(operation, attempt);
        }
        if (settle.find(attempt.key()).orElseThrow().approvedBy().isEmpty()) {
            return Approval.awaited(spec, by.run(), FourEyes.SETTLE, common.json, false);
        }
        return report(ProgressMessage.say("asking " + attempt.psp(), spec, common.json, () -> answer(settle, attempt, patience)), attempt,
                by);
    }

    private int cannot(List<String> obstacles) {
        if (common.json) {
            JsonLines.print(Screen.of(spec), Map.of("operation_id", id, "settled", false, "obstacles", obstacles));
        }
        obstacles.forEach(why -> Screen.tell(spec, "%s cannot be settled: %s".formatted(id, why)));
        return NO;
    }

    private int wouldDo(Operation operation, Attempt attempt) {
        Screen screen = Screen.of(spec);
        if (common.json) {
            JsonLines.print(screen,
                    Map.of("operation_id", id, "settled", false, "obstacles", List.of(), "attempt", attempt.key().value(), "psp",
                            attempt.psp()));
            return 0;
        }
        screen.say("%s of %s for %s, unresolved since %s; attempt %d at %s, key %s.".formatted(operation.kind().tag(),
                operation.accepted().request().money(), operation.accepted().merchant(),
                Words.time(operation.unresolvedSince().orElseThrow()),
                attempt.sequence(), attempt.psp(), attempt.key()));
        screen.say("It can be settled as %s. %s is asked once more first%s, and what it says counts.".formatted(words(),
                attempt.psp(), charged.map(" about "::concat).orElse("")));
        if (charged.isPresent()) {
            screen.say(
                    "It knows the attempt's key until %s. If it can be asked only under that, the finding waits until it has answered or %s"
                            .formatted(Words.time(attempt.keyValidUntil()), "has forgotten the key."));
        }
        screen.say("Nothing was changed. Do it with --yes.");
        return 0;
    }

    private String words() {
        return charged.map("charged under "::concat).orElse("not charged");
    }

    /** Waits until the resolver has its answer, or the time is up. */
    private static HandSettlement answer(Settle settle, Attempt attempt, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        HandSettlement now = settle.find(attempt.key()).orElseThrow();
        while (now.state() == HandSettlement.State.WAITING && now.answer().isEmpty() && System.nanoTime() < end) {
            try {
                Thread.sleep(BETWEEN_LOOKS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return now;
            }
            now = settle.find(attempt.key()).orElseThrow();
        }
        return now;
    }

    private int report(HandSettlement settlement, Attempt attempt, AuditContext by) {
        Screen screen = Screen.of(spec);
        boolean settled = switch (settlement.state()) {
            case SETTLED, CONFIRMED -> true;
            case REFUSED, WAITING -> false;
        };
        if (common.json) {
            var json = new LinkedHashMap<String, Object>();
            json.put("operation_id", id);
            json.put("verdict", settlement.verdict());
            Json.putIfPresent(json, "psp_reference", settlement.reference());
            json.put("state", settlement.state().tag());
            Json.putIfPresent(json, "answer", settlement.answer());
            json.put("attempt", attempt.key().value());
            json.put("run", by.run());
            JsonLines.print(screen, json);
            return settled ? 0 : NO;
        }
        String answer = settlement.answer().orElse("the resolver of the charge service has not come to it");
        screen.say(switch (settlement.state()) {
            case SETTLED -> "Settled as %s by %s in %s, for %s.".formatted(words(), by.actor(), by.run(), answer);
            case CONFIRMED -> "Confirmed, and settled by what %s says: %s.".formatted(attempt.psp(), answer);
            case REFUSED -> "Refused, and nothing was settled by it: %s.".formatted(answer);
            case WAITING ->
                "Recorded as %s. %s has not said what happened: %s. The resolver asks again; dlq why %s shows the result."
                        .formatted(by.run(), attempt.psp(), answer, id);
        });
        return settled ? 0 : NO;
    }
}
