// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.audit.SealCheck;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.AuditJson;
import io.chargeonce.dlq.story.AuditTrail;
import io.chargeonce.dlq.story.AttemptVerdict;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "audit", usageHelpAutoWidth = true, sortOptions = false,
        description = "Shows who changed the dead-letter queue, what, when and why, and how much money it was. What one call did is one "
                + "line.",
        exitCodeList = "1:--verify found a record or a seal that is not as it was",
        footer = {"  What was purged this week, and by whom?",
            "    chargeonce dlq audit --action dlq.purged --newer-than 7d",
            "  Has the log been tampered with?",
            "    chargeonce dlq audit --verify",
            "  And since then? The call before printed what to give the next one:",
            "    chargeonce dlq audit --verify --after-seal 4711:MARK"})
final class AuditCommand implements Callable<Integer> {

    private static final Duration USUAL = Duration.ofDays(30);

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--by", paramLabel = "LOGIN", description = "Only what this login at Postgres did.")
    Optional<String> by;

    @Option(names = "--action", paramLabel = "ACTION", description = "Only this, such as dlq.merged, dlq.purged or dlq.restored.")
    Optional<String> action;

    @Option(names = "--run", paramLabel = "RUN", description = "Only what this run did.")
    Optional<String> run;

    @Option(names = "--newer-than", paramLabel = "AGE",
            description = "Only what is newer than this: 45s, 3m, 2h, 5d. The default is 30d, and with --verify "
                    + "everything.")
    Optional<String> newerThan;

    @Option(names = "--verify",
            description = "Check the whole log instead: every record against its seal, the chain and the signatures of the seals, "
                    + "and the copies of the seals in Kafka. It prints what was changed, added or removed, and since when everything "
                    + "agrees.")
    boolean verify;

    @Option(names = "--after-seal", paramLabel = "NUMBER[:MARK]",
            description = "With --verify: only what was sealed after this seal. An earlier call printed its number and mark. Keep "
                    + "them where no one can write who can write in the database. With the mark a seal that was made again is found, and "
                    + "the topic is read from this seal on.")
    Optional<String> afterSeal;

    @Option(names = "--table-only", description = "With --verify: do not read the topic. Needs no Kafka.")
    boolean tableOnly;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        Duration age = problems.age("--newer-than", newerThan).orElse(USUAL);
        if (verify && (by.isPresent() || action.isPresent() || run.isPresent() || newerThan.isPresent() && afterSeal.isPresent())) {
            problems.add("--verify checks what everyone did: only one of --newer-than and --after-seal goes with it");
        }
        if (!verify && (afterSeal.isPresent() || tableOnly)) {
            problems.add("--after-seal and --table-only go with --verify");
        }
        Optional<SealCheck.Start> after = afterSeal.flatMap(SealCheck.Start::parse);
        if (afterSeal.isPresent() && after.isEmpty()) {
            problems.add("--after-seal is '%s', but must be a seal's number, or number and mark as an earlier call printed them"
                    .formatted(afterSeal.get()));
        }
        return problems.any() ? problems.print(spec) : verify ? dlq.with(spec, queue -> verify(queue, after, newerThan.map(said -> age)))
                : dlq.with(spec, queue -> audit(queue, new AuditTrail.Criteria(by, action, run, age)));
    }

    private int audit(DeadLetterQueue queue, AuditTrail.Criteria criteria) {
        List<AuditTrail.Line> lines = AuditTrail.ask(queue, criteria);
        Screen screen = Screen.of(spec);
        if (common.json) {
            lines.forEach(line -> JsonLines.print(screen, AuditJson.of(line)));
        } else if (lines.isEmpty()) {
            screen.say("No one did anything of this kind.");
        } else {
            new Table<AuditTrail.Line>(screen, List.of(
                    Column.whole("WHEN", line -> Words.time(line.from())),
                    Column.shrinking("WHO", 4, AuditCommand::who),
                    Column.whole("WHAT", AuditTrail.Line::action),
                    Column.right("COUNT", line -> "%,d".formatted(line.sum().count())),
                    Column.rightLines("MONEY", line -> line.sum().moneyLines()),
                    Column.shrinking("WHY", 8, AuditCommand::why),
                    Column.ifRoom("OF", 14, line -> line.of().orElse("–")),
                    Column.ifRoom("RUN", 14, line -> line.run().orElse("–")))).print(lines);
        }
        return 0;
    }

    /** Several people may use a shared login. Then only the name that the command line sent tells them apart. */
    private static String who(AuditTrail.Line line) {
        return line.claim().filter(claim -> !claim.equals(line.actor())).map(claim -> "%s (says %s)".formatted(line.actor(), claim))
                .orElse(line.actor());
    }

    private static String why(AuditTrail.Line line) {
        return Stream.of(line.held(), line.finding().map(AttemptVerdict::inWords), line.reason()).flatMap(Optional::stream)
                .reduce((finding, evidence) -> finding + ": " + evidence).orElse("–");
    }

    private int verify(DeadLetterQueue queue, Optional<SealCheck.Start> after, Optional<Duration> age) {
        SealCheck.Start start = after.or(() -> age.map(newer -> SealCheck.olderThan(queue.database(), newer)).map(SealCheck.Start::after))
                .orElse(SealCheck.Start.AT_THE_FIRST);
        return new AuditVerification(spec, common.json, queue, dlq.keys())
                .run(start, tableOnly ? Optional.empty() : Optional.of(dlq.kafka()));
    }
}
