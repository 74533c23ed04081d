// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.refused;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.refused.RefusedRecord;
import io.chargeonce.dlq.refused.RefusedRecords;
import io.chargeonce.dlq.refused.RefusedRecords.Deed;
import io.chargeonce.dlq.refused.RefusedRecords.Wanted;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.options.QueueOpener;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Ages;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "refused", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Shows the records that the broker refuses, such as one that is too large for its topic. Each holds back its payment.",
            "--retry offers them again at once; without it the relay does so every ten minutes. --drop deletes them, and the records "
                    + "behind them continue. Without --yes, both only show what they would do.",
            "Mend the cause first, usually a limit of the topic. A drop cannot be undone; the audit log keeps the hash, not the content."},
        exitCodeList = "1:an id has no refused record, or no longer had one when it was processed",
        footer = {"  What does the broker refuse, and why?",
            "    chargeonce dlq refused",
            "  The topic's limit is raised:",
            "    chargeonce dlq refused --all --retry --yes",
            "  What would be missing without this record?",
            "    chargeonce dlq refused ID --drop --reason \"its topic is retired\""})
public final class RefusedCommand implements Callable<Integer> {

    private static final int NO = 1;
    private static final int SHOWN_TO_PEOPLE = 100;

    @ParentCommand
    QueueOpener dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Payments, refunds or dead letters whose record is refused.")
    List<String> ids = List.of();

    @Option(names = "--topic", paramLabel = "TOPIC", description = "Records for this topic.")
    Optional<String> topic;

    @Option(names = "--all", description = "With --retry or --drop: everything that is refused.")
    boolean all;

    @Option(names = "--retry", description = "Offer them to the broker now.")
    boolean retry;

    @Option(names = "--drop", description = "Delete them.")
    boolean drop;

    @Option(names = "--yes", description = "Do it. Without it, --retry and --drop only show what they would do.")
    boolean yes;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log. --drop needs one.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        if (retry || drop) {
            checkChange(problems);
        } else if (all || yes || reason.isPresent()) {
            problems.add("--all, --yes and --reason go with --retry or --drop");
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::look);
    }

    private void checkChange(InputProblems problems) {
        if (retry && drop) {
            problems.add("--retry offers them again and --drop deletes them: say one of them");
        }
        boolean named = !ids.isEmpty() || topic.isPresent();
        if (all == named) {
            problems.add(all ? "--all means everything, so name no ids and no topic with it" : "name ids or a topic, or say --all");
        }
        if (drop) {
            problems.needsReason(reason);
        } else {
            problems.reason("--reason", reason);
        }
    }

    private int look(DeadLetterQueue queue) {
        var refused = new RefusedRecords(queue);
        Optional<Set<String>> keys = ids.isEmpty() ? Optional.empty() : Optional.of(Set.copyOf(ids));
        List<RefusedRecord> found = refused.find(new Wanted(keys, topic));
        Screen screen = Screen.of(spec);
        if (drop && found.stream().anyMatch(record -> !record.mayBeDropped())) {
            var problems = new InputProblems();
            problems.add("seals of the audit log are never dropped: mend the topic, and offer them again with --retry");
            return problems.print(spec);
        }
        if (yes && !found.isEmpty()) {
            return act(refused, found, keys, queue, screen);
        }
        if (common.json) {
            found.forEach(record -> JsonLines.print(screen, json(record)));
        } else {
            print(found, screen);
        }
        return missing(keys, found);
    }

    private void print(List<RefusedRecord> found, Screen screen) {
        if (found.isEmpty()) {
            screen.say(ids.isEmpty() && topic.isEmpty() ? "The broker refuses no record." : "The broker refuses no such record.");
            return;
        }
        Table.<RefusedRecord>withEveryColumn(screen, List.of(
                Column.whole("ID", RefusedRecord::key),
                Column.right("AGE", record -> Ages.brief(record.age())),
                Column.right("BYTES", record -> record.bytes() == 0 ? "–" : "%,d".formatted(record.bytes())),
                Column.right("BEHIND", record -> "%,d".formatted(record.behind())),
                Column.whole("TOPIC", RefusedRecord::topic),
                Column.shrinking("REFUSED BECAUSE", 12, RefusedRecord::refusal))).print(found.stream().limit(SHOWN_TO_PEOPLE).toList());
        screen.say("%s%,d in all.".formatted(found.size() < RefusedRecords.MOST ? "" : "At least ", found.size()));
        if (drop) {
            found.stream().collect(Collectors.toMap(RefusedRecord::topic, RefusedRecord::withoutIt, (same, again) -> same,
                    LinkedHashMap::new)).forEach((of, without) -> screen.say("Without a record of %s: %s".formatted(of, without)));
        }
        if (retry || drop) {
            screen.say("Nothing was changed. With --yes they are %s."
                    .formatted(drop ? "deleted, which cannot be undone" : "offered to the broker again"));
        }
    }

    private static Map<String, Object> json(RefusedRecord record) {
        var json = new LinkedHashMap<String, Object>();
        json.put("outbox_id", record.id());
        json.put("topic", record.topic());
        json.put("id", record.key());
        json.put("age_seconds", record.age().toSeconds());
        json.put("bytes", record.bytes());
        json.put("behind", record.behind());
        json.put("refusal", record.refusal());
        return json;
    }

    private int act(RefusedRecords refused, List<RefusedRecord> found, Optional<Set<String>> keys, DeadLetterQueue queue, Screen screen) {
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        int cleared = refused.clear(drop ? Deed.DROP : Deed.RETRY, found, by);
        int gone = found.size() - cleared;
        if (common.json) {
            JsonLines.print(screen, Map.of("dry", false, "run", by.run(), drop ? "dropped" : "retried", cleared, "gone", gone));
        } else {
            screen.say("%,d %s, as %s by %s.".formatted(cleared, drop ? "deleted" : "offered again", by.run(), by.actor()));
            if (gone > 0) {
                screen.say("%,d had been cleared by then: the broker took them, or another person came first.".formatted(gone));
            }
            if (retry) {
                screen.say("If the broker still refuses them, they are back within seconds: chargeonce dlq refused");
            }
            if (found.size() == RefusedRecords.MOST) {
                screen.say("There may be more: the same command does the rest.");
            }
        }
        return Math.max(missing(keys, found), gone > 0 && keys.isPresent() ? NO : 0);
    }

    /** Each named id must have a refused record, else the answer is no. */
    private int missing(Optional<Set<String>> keys, List<RefusedRecord> found) {
        Set<String> there = found.stream().map(RefusedRecord::key).collect(Collectors.toSet());
        List<String> missing = keys.stream().flatMap(Set::stream).filter(key -> !there.contains(key)).sorted().toList();
        if (missing.isEmpty()) {
            return 0;
        }
        Screen.tell(spec, "the broker refuses no record of %s".formatted(String.join(", ", missing)));
        return NO;
    }
}
