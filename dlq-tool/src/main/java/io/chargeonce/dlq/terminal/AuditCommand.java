package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.AuditTrail;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Finding;
import io.chargeonce.ledger.AuditChain;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        description = "Tells who did what with the dead-letter queue, when, why, and to how much money. What one call did is one line.",
        exitCodeList = "1:--verify found a record that is not what was written",
        footer = {"  What was purged this week, and by whom?",
                  "    chargeonce dlq audit --action dlq.purged --newer-than 7d",
                  "  Has anybody tampered with it?",
                  "    chargeonce dlq audit --verify"})
final class AuditCommand implements Callable<Integer> {

    private static final int MOST = 100;
    private static final Duration USUAL = Duration.ofDays(30);

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Option(names = "--by", paramLabel = "LOGIN", description = "Only what this person did.")
    Optional<String> by;

    @Option(names = "--action", paramLabel = "ACTION", description = "Only this, such as dlq.merged, dlq.purged or dlq.restored.")
    Optional<String> action;

    @Option(names = "--run", paramLabel = "RUN", description = "Only what this run did.")
    Optional<String> run;

    @Option(names = "--newer-than", paramLabel = "AGE", description = "Only what is newer: 45s, 3m, 2h, 5d. 30d unless said.")
    Optional<String> newerThan;

    @Option(names = "--verify", description = "Checks the whole log instead: each record is chained by hashes to the one before it "
            + "about the same payment or run. One that was changed, added or taken away is told; a last one that was taken away does not show.")
    boolean verify;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        Duration age = problems.age("--newer-than", newerThan).orElse(USUAL);
        if (verify && (by.isPresent() || action.isPresent() || run.isPresent() || newerThan.isPresent())) {
            problems.add("--verify checks the whole log: name nothing else with it");
        }
        return problems.any() ? problems.print(spec) : verify ? dlq.with(spec, this::verify)
                : dlq.with(spec, queue -> audit(queue, new AuditTrail.Question(by, action, run, age)));
    }

    private int audit(DeadLetterQueue queue, AuditTrail.Question question) {
        List<AuditTrail.Line> lines = AuditTrail.ask(queue, question);
        Screen screen = Screen.of(spec);
        if (common.json) {
            lines.forEach(line -> Json.print(screen, json(line)));
        } else if (lines.isEmpty()) {
            screen.say("Nobody did anything of this kind.");
        } else {
            new Table<AuditTrail.Line>(screen, List.of(
                    Column.whole("WHEN", line -> Words.time(line.from())),
                    Column.shrinking("WHO", 4, AuditTrail.Line::actor),
                    Column.whole("WHAT", AuditTrail.Line::action),
                    Column.right("COUNT", line -> "%,d".formatted(line.sum().count())),
                    Column.rightLines("MONEY", line -> line.sum().moneyLines()),
                    Column.shrinking("WHY", 8, AuditCommand::why),
                    Column.ifRoom("RUN", 14, line -> line.run().orElse("–")))).print(lines);
        }
        return 0;
    }

    private static String why(AuditTrail.Line line) {
        return Stream.of(line.finding().map(Finding::inWords), line.reason()).flatMap(Optional::stream)
                .reduce((finding, evidence) -> finding + ": " + evidence).orElse("–");
    }

    private int verify(DeadLetterQueue queue) {
        List<AuditChain.Broken> broken = AuditTrail.broken(queue, MOST);
        Screen screen = Screen.of(spec);
        for (AuditChain.Broken record : broken) {
            if (common.json) {
                Json.print(screen, Map.of("resource_id", record.resourceId(), "audit_id", record.auditId()));
            } else {
                screen.print("%s  record %d is not what was written, or one before it is gone", Printable.of(record.resourceId()), record.auditId());
            }
        }
        if (common.json) {
            Json.print(screen, Map.of("chained", broken.isEmpty()));
        } else {
            screen.say(broken.isEmpty() ? "Every audit record follows from the one before it."
                    : "Somebody with rights on the database changed the audit log: compare these with a backup.");
        }
        return broken.isEmpty() ? 0 : 1;
    }

    private static Map<String, Object> json(AuditTrail.Line line) {
        var json = new LinkedHashMap<String, Object>();
        json.put("from", line.from().toString());
        json.put("until", line.until().toString());
        json.put("actor", line.actor());
        json.put("action", line.action());
        Json.putIfPresent(json, "run", line.run());
        line.finding().ifPresent(finding -> {
            json.put("verdict", finding.verdict());
            Json.putIfPresent(json, "psp_reference", finding.reference());
        });
        Json.putIfPresent(json, "reason", line.reason());
        json.putAll(Json.sum(line.sum()));
        return json;
    }
}
