// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.approval.FourEyes.Proposal;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Counted;
import io.chargeonce.text.Printable;
import java.util.LinkedHashMap;
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

@Command(name = "approve", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Approves what another person proposes and may not do alone: a merge, a purge, a restore, or a finding from settle.",
            "Shows who proposes what, and how much money it is. With --yes, it approves exactly that. It starts nothing."},
        exitCodeList = "1:there is no such proposal, or it is not the one that you looked at",
        footer = {"  What is proposed, and by whom?",
            "    chargeonce dlq runs",
            "    chargeonce dlq approve run_0123456789",
            "  Approve it:",
            "    chargeonce dlq approve run_0123456789 --yes"})
final class ApproveCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "The run's id, which its proposer was given.")
    String run;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows what would be approved.")
    boolean yes;

    @Option(names = "--expect-fingerprint", paramLabel = "F", description = "Refuse unless the set has this fingerprint.")
    Optional<String> expected = Optional.empty();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::approve);
    }

    private int approve(DeadLetterQueue queue) {
        var fourEyes = new FourEyes(queue);
        Optional<Proposal> found = fourEyes.proposal(run);
        if (found.isEmpty()) {
            return refuse("nothing was proposed as '%s'; chargeonce dlq runs lists what waits".formatted(Printable.of(run)));
        }
        Proposal proposal = found.get();
        if (expected.filter(f -> !f.equals(proposal.fingerprint())).isPresent()) {
            return refuse("the set is not the expected one: its fingerprint is %s; nothing was changed".formatted(proposal.fingerprint()));
        }
        if (yes) {
            fourEyes.approve(ActsAs.auditContext(spec, queue, Optional.empty(), run), proposal);
        }
        print(queue, fourEyes, proposal);
        return 0;
    }

    private void print(DeadLetterQueue queue, FourEyes fourEyes, Proposal proposal) {
        Sum sum = fourEyes.holds(run);
        Optional<FourEyes.Finding> finding = fourEyes.finding(run);
        Screen screen = Screen.of(spec);
        if (common.json) {
            var json = new LinkedHashMap<String, Object>();
            json.put("run", run);
            json.put("kind", proposal.kind().tag());
            json.put("proposed_by", proposal.proposedBy());
            json.put("proposed_at", proposal.proposedAt().toString());
            json.put("fingerprint", proposal.fingerprint());
            json.put("approved", yes);
            json.putAll(Json.sum(sum));
            finding.ifPresent(found -> json.putAll(Map.of("operation_id", found.operationId(), "amount", found.money().minorUnits(),
                    "currency", found.money().currency(), "verdict", found.verdict().replace(' ', '_'), "evidence", found.evidence())));
            JsonLines.print(screen, json);
            return;
        }
        screen.say("%s proposes to %s, since %s: %s%s".formatted(proposal.proposedBy(), proposal.kind().tag(),
                Words.time(proposal.proposedAt()),
                finding.map(found -> "%s, %s, as %s, because: %s".formatted(found.operationId(), found.money(), found.verdict(),
                        Printable.of(found.evidence()))).orElseGet(() -> "%s, %s".formatted(Counted.of(sum.count(), "dead letter"),
                                String.join(", ", sum.moneyLines()))),
                new MergeRuns(queue).find(run).flatMap(MergeRun::reason).map(" because: "::concat).orElse("")));
        screen.print("Fingerprint %s", proposal.fingerprint());
        if (!yes) {
            screen.say("Nothing was changed. Look at it with chargeonce dlq %s, and approve it with --yes.".formatted(
                    finding.map(found -> "why " + found.operationId()).orElse("runs show " + run)));
        } else if (proposal.kind() == FourEyes.Kind.SETTLE) {
            screen.say("Approved. The charge service asks the PSP once more, and decides.");
        } else {
            screen.say("Approved. Within 24 hours it is begun with: chargeonce dlq %s --resume %s".formatted(proposal.kind().tag(), run));
        }
    }

    private int refuse(String why) {
        Screen.tell(spec, why);
        return Approval.NO;
    }
}
