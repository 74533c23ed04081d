package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterFilter;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Export;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
        description = {"Writes dead letters with what they hold into a new file, as JSON, one a line.",
                       "Card tokens and personal fields are masked unless you say --unmasked."},
        footer = {"", "Example: carry poison to a test environment",
                  "  chargeonce dlq export poison.ndjson --standing poison"})
final class ExportCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A file that does not exist yet.")
    Path file;

    @Mixin
    FilterOptions filters;

    @Option(names = "--unmasked", description = "With card tokens and personal fields as they are.")
    boolean unmasked;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        DeadLetterFilter filter = filters.filter(Optional.empty(), problems);
        if (Files.exists(file)) {
            problems.add("'%s' exists already; name a new file".formatted(file));
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> export(queue, filter));
    }

    private int export(DeadLetterQueue queue, DeadLetterFilter filter) {
        var count = new AtomicLong();
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW)) {
            new Export(queue, !unmasked).run(filter, exported -> {
                write(out, Json.line(Json.exported(exported)));
                count.incrementAndGet();
            });
        } catch (FileAlreadyExistsException e) {
            return refuse("'%s' exists already; name a new file".formatted(file));
        } catch (IOException | UncheckedIOException e) {
            return refuse("'%s' can't be written (%s); remove what is there and try again".formatted(file, e.getMessage()));
        }
        if (common.json) {
            Json.print(Screen.of(spec), Map.of("exported", count.get(), "masked", !unmasked));
        } else {
            Screen.of(spec).say("%,d dead letters are in %s%s.".formatted(count.get(), file,
                    unmasked ? ", with card tokens and personal fields" : ", masked"));
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
        spec.commandLine().getErr().println(spec.qualifiedName(" ") + ": " + Printable.of(why));
        spec.commandLine().getErr().flush();
        return Problems.EXIT;
    }
}
