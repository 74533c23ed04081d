// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.Json;
import io.chargeonce.dlq.terminal.screen.Printable;
import io.chargeonce.dlq.terminal.screen.Problems;
import io.chargeonce.dlq.terminal.screen.Screen;
import io.chargeonce.dlq.topic.Agreement;
import io.chargeonce.dlq.topic.Repair;
import io.chargeonce.dlq.topic.TopicAgreement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "verify", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Checks that the queue agrees with the payments, and the compacted topic with the queue.",
            "May be called while everything runs. Looks at every payment and every record, so it takes its time.",
            "--repair stages anew what the topic shows wrongly; it touches no payment and no dead letter."},
        exitCodeList = "1:something does not agree, and was not repaired",
        footer = {"  Does everything agree?",
            "    chargeonce dlq verify",
            "  The topic was made anew:",
            "    chargeonce dlq verify --repair --reason \"the topic was made anew\""})
final class VerifyCommand implements Callable<Integer> {

    private static final int MOST = 100;
    private static final int MOST_REPAIRED = 10_000_000;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--table-only", description = "Do not read the topic; needs no Kafka.")
    boolean tableOnly;

    @Option(names = "--repair", description = "Stage what the topic shows wrongly once more, as the table has it.")
    boolean repair;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        if (repair && tableOnly) {
            problems.add("--repair mends the topic and --table-only does not look at it: say one of them");
        }
        if (repair && reason.filter(text -> !text.isBlank()).isEmpty()) {
            problems.add("--reason is missing: say why, it is kept in the audit log");
        }
        problems.kept("--reason", reason);
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::verify);
    }

    private int verify(DeadLetterQueue queue) {
        List<Agreement.Difference> table = Agreement.differences(queue, MOST);
        List<Agreement.Difference> topic = tableOnly ? List.of()
                : TopicAgreement.differences(queue, dlq.kafka(), repair ? MOST_REPAIRED : MOST);
        table.forEach(this::tell);
        topic.stream().limit(MOST).forEach(this::tell);
        if (repair && !topic.isEmpty()) {
            AuditContext by = ActsAs.auditContext(spec, queue, reason);
            new Repair(queue).run(topic.stream().map(Agreement.Difference::id).toList(), by);
        }
        print(table.size(), topic.size());
        return table.isEmpty() && (topic.isEmpty() || repair) ? 0 : 1;
    }

    private void tell(Agreement.Difference difference) {
        if (common.json) {
            Json.print(Screen.of(spec), Map.of("dead_letter_id", difference.id(), "difference", difference.what()));
        } else {
            Screen.of(spec).print("%s  %s", Printable.of(difference.id()), Printable.of(difference.what()));
        }
    }

    private void print(int table, int topic) {
        Screen screen = Screen.of(spec);
        if (common.json) {
            Json.print(screen, Map.of("agree", table + topic == 0, "table", table, "topic", topic, "repaired", repair ? topic : 0));
        } else if (table + topic == 0) {
            screen.say(tableOnly ? "The queue and the payments agree." : "The queue, the payments and the topic agree.");
        } else if (topic > 0) {
            screen.say(repair ? "%,d staged for the topic as the table has them; verify again once they are published.".formatted(topic)
                    : "%s on the topic: chargeonce dlq verify --repair --reason … stages them anew.".formatted(count(topic)));
        }
        if (table > 0 && !common.json) {
            screen.say("%s between the queue and the payments: chargeonce dlq why ID tells how each came about.".formatted(count(table)));
        }
    }

    private static String count(int differences) {
        return differences == 1 ? "1 difference"
                : differences < MOST ? "%d differences".formatted(differences) : "%d differences or more".formatted(MOST);
    }
}
