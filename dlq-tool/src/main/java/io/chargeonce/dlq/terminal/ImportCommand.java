// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.ExportedLine;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.PaymentCriteria;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.story.Import;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.page.ChangeReport;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.topic.ForeignTopic;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.TextFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "import", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Takes an exported file, or another system's dead-letter topic, into this queue. It touches no payment here.",
            "What is or was in this queue is not taken in again, masked or not.",
            "A merge sends the records of a topic back to where their headers say that they failed first. The headers of Spring Kafka, "
                    + "Kafka Connect, Kafka Streams and Karafka are known; for others, name them.",
            "Records of a file can be looked at and purged. To undo an import, purge its run."},
        exitCodeList = "1:there is no such topic",
        footer = {"  Reproduce it in the test environment:",
            "    chargeonce dlq import poison.ndjson --reason \"reproduce it\"",
            "  One place to look at another system's dead letters:",
            "    chargeonce dlq import --from-topic orders-dlt --reason \"one place to look\"",
            "  The same of a system with headers of its own, failed-at and failed-why:",
            "    chargeonce dlq import --from-topic orders-dlq --topic-header failed-at \\",
            "        --cause-header failed-why --drop-header \"failed-*\" --reason \"look\"",
            "  That import was a mistake:",
            "    chargeonce dlq purge --run run_0123456789 --reason \"a mistake\" --yes"})
final class ImportCommand implements Callable<Integer> {

    private static final int BATCH = 200;
    private static final int NO = 1;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file that export wrote.")
    Optional<Path> file;

    @Option(names = "--from-topic", paramLabel = "NAME",
            description = "A topic of the same Kafka that is not the pipeline's own, read to its present end and left as it is.")
    Optional<String> topic;

    @Option(names = "--topic-header", paramLabel = "NAME",
            description = "Which header of the topic's records names the topic that they go back to.")
    Optional<String> topicHeader;

    @Option(names = "--cause-header", paramLabel = "NAME", description = "Which header says why a record failed.")
    Optional<String> causeHeader;

    @Option(names = "--drop-header", paramLabel = "NAME", description = "A header that must not go back with a record; may be given more "
            + "than once, and a * at the end stands for anything. Headers about dead letters that are known, and those of the two options "
            + "above, never go back.")
    List<String> dropHeaders = List.of();

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        problems.needsReason(reason);
        if (file.isPresent() == topic.isPresent()) {
            problems.add("name a file or --from-topic, one of them");
        } else if (topic.isEmpty() && (topicHeader.isPresent() || causeHeader.isPresent() || !dropHeaders.isEmpty())) {
            problems.add("--topic-header, --cause-header and --drop-header are about the records of --from-topic");
        } else {
            file.ifPresent(path -> check(path, problems));
        }
        return problems.any() ? problems.print(spec)
                : dlq.with(spec, queue -> file.isPresent() ? take(queue, file.get()) : take(queue, topic.orElseThrow()));
    }

    /** The whole file, before any of it is taken in. */
    private static void check(Path file, InputProblems problems) {
        try {
            read(file, batch -> {});
        } catch (IOException e) {
            problems.add("'%s' can't be read (%s)".formatted(file, e.getMessage()));
        } catch (ExportedLine.Unreadable e) {
            problems.add("'%s' %s".formatted(file, e.getMessage()));
        }
    }

    private int take(DeadLetterQueue queue, Path path) {
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        var taken = new AtomicReference<>(Import.Result.NOTHING);
        try {
            read(path, batch -> taken.set(taken.get().plus(new Import(queue).run(batch, by))));
            return print(queue, taken.get(), by);
        } catch (IOException | ExportedLine.Unreadable e) {
            throw new IllegalStateException("'%s' changed while it was read; run the same command again".formatted(path), e);
        }
    }

    private int take(DeadLetterQueue queue, String name) {
        if (queue.topics().areOwn(name)) {
            var problems = new InputProblems();
            problems.add(("--from-topic is '%s', a topic of this pipeline: its payments are in the database, and what cannot be read there "
                    + "comes into the queue by itself; name another system's topic").formatted(name));
            return problems.print(spec);
        }
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        var taken = new AtomicReference<>(Import.Result.NOTHING);
        OptionalLong count = ForeignTopic.read(dlq.kafka(), name, topicHeader, causeHeader, dropHeaders,
                batch -> taken.set(taken.get().plus(new Import(queue).run(batch, by))));
        if (count.isEmpty()) {
            Screen.tell(spec, "there is no topic '%s'; nothing was changed".formatted(name));
            return NO;
        }
        return print(queue, taken.get(), by);
    }

    private int print(DeadLetterQueue queue, Import.Result taken, AuditContext by) {
        Screen screen = Screen.of(spec);
        Plan back = Plan.of(queue, DeadLetterFilter.everything().traits(PaymentCriteria.ofRun(by.run())));
        if (common.json) {
            JsonLines.print(screen, Map.of("imported", taken.entered(), "aimless", taken.aimless(), "known", taken.known(), "left",
                    taken.left(), "too_large", taken.large(), "run", by.run(), "targets", back.targets()));
            return 0;
        }
        screen.say("%s into the queue, as %s by %s.".formatted(
                taken.entered() == 1 ? "1 record came" : "%,d records came".formatted(taken.entered()), by.run(), by.actor()));
        if (topic.isPresent() && taken.entered() > taken.aimless()) {
            ChangeReport.printTargets(back.targets(), back.standings(), screen);
            screen.print("To send them back:  chargeonce dlq merge --run %s", by.run());
        }
        if (taken.aimless() > 0) {
            screen.say(
                    ("%,d of them cannot be sent back: no header names a topic that they could go to. If one does under another name, "
                            + "purge this run and import again with --topic-header.").formatted(taken.aimless()));
        }
        if (taken.known() > taken.left()) {
            screen.say("%,d had been in it before, and stay as they are.".formatted(taken.known() - taken.left()));
        }
        if (taken.left() > 0) {
            screen.say("%,d had been in it and have left it since; they stay away: chargeonce dlq restore brings back what was purged."
                    .formatted(taken.left()));
        }
        if (taken.large() > 0) {
            screen.say(
                    "%,d too large for the queue, and left where they are: more than 1.5 MB with key, value and headers."
                            .formatted(taken.large()));
        }
        if (taken.entered() > 0) {
            screen.print("To undo it:  chargeonce dlq purge --run %s --reason … --yes", by.run());
        }
        return 0;
    }

    private static long read(Path file, Consumer<List<Import.Imported>> batches) throws IOException, ExportedLine.Unreadable {
        long count = 0;
        long number = 0;
        var batch = new ArrayList<Import.Imported>();
        try (BufferedReader in = TextFile.open(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                batch.add(ExportedLine.read(line, number));
                count++;
                if (batch.size() == BATCH) {
                    batches.accept(List.copyOf(batch));
                    batch.clear();
                }
            }
        }
        if (!batch.isEmpty()) {
            batches.accept(List.copyOf(batch));
        }
        return count;
    }
}
