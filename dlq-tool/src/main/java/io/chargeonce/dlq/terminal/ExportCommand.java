// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.FilterOptions;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.personal.Unmasked;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.story.Export;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Counted;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "export", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Writes dead letters and what they hold to a new file, as JSON, one per line.",
            "Card tokens and personal fields are masked unless you say --unmasked."},
        footer = {"  Carry poison to a test environment:",
            "    chargeonce dlq export poison.ndjson --standing poison"})
final class ExportCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A file that does not exist yet.")
    Path file;

    @Mixin
    FilterOptions filters;

    @Option(names = "--unmasked",
            description = "With card tokens and personal fields as they are. Needs --reason and the role chargeonce_dlq_unmask.")
    boolean unmasked;

    @Option(names = "--reason", paramLabel = "TEXT", description = "With --unmasked: why; kept in the audit log.")
    Optional<String> reason = Optional.empty();

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        DeadLetterFilter filter = filters.filter(Optional.empty(), problems);
        if (unmasked) {
            problems.needsReason(reason);
            filter.freeTexts().forEach((name, text) -> problems.kept("--" + name.replace('_', '-'), Optional.of(text)));
        } else if (reason.isPresent()) {
            problems.add("--reason goes with --unmasked; what is masked needs none");
        }
        if (Files.exists(file)) {
            problems.add("'%s' exists already; name a new file".formatted(file));
        } else if (!Files.isDirectory(folder())) {
            problems.add("there is no folder '%s'".formatted(folder()));
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, filter, queue -> export(queue, filter));
    }

    private int export(DeadLetterQueue queue, DeadLetterFilter filter) {
        if (unmasked) {
            Unmasked.many(queue, filter, ActsAs.auditContext(spec, queue, reason));
        }
        try {
            // Only this person may read such a temporary file, and a file with the requested name is always complete.
            Path part = Files.createTempFile(folder(), file.getFileName() + ".", ".part");
            try {
                Written written = write(queue, filter, part);
                Files.move(part, file);
                return say(written);
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (FileAlreadyExistsException e) {
            return refuse("'%s' exists already; name a new file".formatted(file));
        } catch (IOException | UncheckedIOException e) {
            return refuse("'%s' can't be written (%s)".formatted(file, e.getMessage()));
        }
    }

    private Path folder() {
        return file.toAbsolutePath().getParent();
    }

    /** @param closed how many of them hold bytes that cannot be opened, and why the first of them */
    private record Written(long count, long closed, Optional<String> why) {}

    private Written write(DeadLetterQueue queue, DeadLetterFilter filter, Path part) throws IOException {
        var count = new AtomicLong();
        var closed = new ArrayList<String>();
        try (BufferedWriter out = Files.newBufferedWriter(part)) {
            new Export(queue, !unmasked).run(filter, exported -> {
                write(out, Json.line(Json.exported(exported)));
                count.incrementAndGet();
                exported.source().flatMap(Story.Source::closed).ifPresent(closed::add);
            });
        }
        return new Written(count.get(), closed.size(), closed.stream().findFirst());
    }

    private int say(Written written) {
        if (common.json) {
            JsonLines.print(Screen.of(spec), Map.of("exported", written.count, "masked", !unmasked, "closed", written.closed));
        } else {
            Screen.of(spec).say("%s in %s%s.".formatted(Counted.are(written.count, "dead letter"), file,
                    unmasked ? ", with card tokens and personal fields" : ", masked"));
            written.why.ifPresent(why -> Screen.of(spec).say("%,d of them %s without bytes: %s.".formatted(written.closed,
                    written.closed == 1 ? "is" : "are", why)));
        }
        return 0;
    }

    private static void write(BufferedWriter out, String line) {
        try {
            out.write(line);
            out.newLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int refuse(String why) {
        Screen.tell(spec, why);
        return InputProblems.EXIT;
    }
}
