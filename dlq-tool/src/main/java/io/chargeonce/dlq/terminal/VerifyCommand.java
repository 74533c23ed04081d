// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.dlq.topic.Agreement;
import io.chargeonce.dlq.topic.Repair;
import io.chargeonce.dlq.topic.TopicAgreement;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Printable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "verify", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Checks that the queue agrees with the payments, and the compacted topic with the queue.",
            "You may call it while everything runs. It reads the whole queue and every record of its topic, so it takes its time. Of the "
                    + "payments it reads those that were accepted of late, came into the queue or were moved by a person; after a restore "
                    + "let it read all.",
            "--repair stages again what the topic shows wrongly. It changes no payment and no dead letter."},
        exitCodeList = "1:something does not agree, and was not repaired",
        footer = {"  Does everything agree?",
            "    chargeonce dlq verify",
            "  The database was restored:",
            "    chargeonce dlq verify --all",
            "  The topic was deleted and created again:",
            "    chargeonce dlq verify --repair --reason \"the topic was created again\""})
final class VerifyCommand implements Callable<Integer> {

    private static final int MOST = 100;
    private static final int MOST_REPAIRED = 10_000_000;
    private static final Duration USUAL = Duration.ofDays(7);

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--newer-than", paramLabel = "AGE",
            description = "Of the payments only those of this time: 2h, 5d. The default is 7d. What came into the queue or was moved is "
                    + "known as far back as the audit log goes.")
    Optional<String> newerThan;

    @Option(names = "--all", description = "Look at every payment, however old. Takes as long as reading the table.")
    boolean all;

    @Option(names = "--table-only", description = "Do not read the topic. Needs no Kafka.")
    boolean tableOnly;

    @Option(names = "--repair", description = "Stage again, as the table has it, what the topic shows wrongly.")
    boolean repair;

    @Option(names = "--drop-unknown", description = "With --repair: remove from the topic also what only the topic has. After a restore "
            + "that lost rows, that may be all that is left of a payment.")
    boolean dropUnknown;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        if (repair && tableOnly) {
            problems.add("--repair mends the topic and --table-only does not look at it: say one of them");
        }
        if (dropUnknown && !repair) {
            problems.add("--drop-unknown is for --repair: add it, or look without --drop-unknown first");
        }
        if (all && newerThan.isPresent()) {
            problems.add("--all looks at old payments too, and --newer-than does not: say one of them");
        }
        Duration age = problems.age("--newer-than", newerThan).orElse(USUAL);
        if (repair) {
            problems.needsReason(reason);
        } else {
            problems.reason("--reason", reason);
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> verify(queue, age));
    }

    private int verify(DeadLetterQueue queue, Duration age) {
        if (!all && Agreement.isOfAnotherServer(queue)) {
            all = true;
            Screen.tell(spec, "the database was restored from another server's dump, so every payment is read");
        }
        var read = new AtomicLong();
        List<Agreement.Difference> table =
                ProgressMessage.say(() -> all ? "reading every payment" : "%,d payments read".formatted(read.get()), spec, common.json,
                        () -> Agreement.differences(queue, all ? Optional.empty() : Optional.of(age), MOST, read::addAndGet));
        List<Agreement.Difference> topic = tableOnly ? List.of()
                : ProgressMessage.say("reading " + queue.topics().deadLetters(), spec, common.json,
                        () -> TopicAgreement.differences(queue, dlq.kafka(), repair ? MOST_REPAIRED : MOST,
                                dropUnknown));
        table.forEach(this::tell);
        topic.stream().limit(MOST).forEach(this::tell);
        List<String> repairable = topic.stream().filter(Agreement.Difference::repairable).map(Agreement.Difference::id).toList();
        int repaired = repair ? repairable.size() : 0;
        if (repaired > 0) {
            new Repair(queue).run(repairable, ActsAs.auditContext(spec, queue, reason));
        }
        if (common.json) {
            var line = new HashMap<String, Object>(Map.of("agree", table.size() + topic.size() == 0, "all", all, "table", table.size(),
                    "topic", topic.size(), "repaired", repaired));
            if (!all) {
                line.put("newer_than_seconds", age.toSeconds());
            }
            JsonLines.print(Screen.of(spec), line);
        } else {
            print(table.size(), repairable.size(), topic.size() - repairable.size(), age);
        }
        return table.size() + topic.size() - repaired == 0 ? 0 : 1;
    }

    private void tell(Agreement.Difference difference) {
        if (common.json) {
            JsonLines.print(Screen.of(spec), Map.of("dead_letter_id", difference.id(), "difference", difference.what()));
        } else {
            Screen.of(spec).print("%s  %s", Printable.of(difference.id()), Printable.of(difference.what()));
        }
    }

    private void print(int table, int repairable, int others, Duration age) {
        Screen screen = Screen.of(spec);
        if (table + repairable + others == 0) {
            String payments = all ? "the payments" : "the payments of the last " + Ages.brief(age);
            screen.say((tableOnly ? "The queue and %s agree." : "The queue, %s and the topic agree.").formatted(payments)
                    + (all ? "" : " Older ones: chargeonce dlq verify --all"));
        }
        if (repairable > 0) {
            screen.say(
                    repair ? "%,d staged for the topic as the table has them. Verify again once they are published.".formatted(repairable)
                            : "%s on the topic: chargeonce dlq verify --repair --reason … stages them again.".formatted(count(repairable)));
        }
        if (others > 0) {
            screen.say("%s that --repair cannot mend: each line above says what to do.".formatted(count(others)));
        }
        if (table > 0) {
            screen.say("%s between the queue and the payments: chargeonce dlq why ID tells how each came about.".formatted(count(table)));
        }
    }

    private static String count(int differences) {
        return differences == 1 ? "1 difference"
                : differences < MOST ? "%d differences".formatted(differences) : "%d differences or more".formatted(MOST);
    }
}
