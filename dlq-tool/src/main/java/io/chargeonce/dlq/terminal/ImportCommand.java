package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Import;
import io.chargeonce.dlq.Login;
import io.chargeonce.dlq.Mandate;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

@Command(name = "import", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Takes an exported file into this queue, as records to look at and to purge. They touch no payment here.",
                       "The same file taken in twice changes nothing the second time."},
        footer = {"", "Example:", "  chargeonce dlq import poison.ndjson --reason \"reproduce it in the test environment\""})
final class ImportCommand implements Callable<Integer> {

    private static final int BATCH = 200;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A file that export wrote.")
    Path file;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        if (reason.filter(text -> !text.isBlank()).isEmpty()) {
            problems.add("--reason is missing: say why, it is kept in the audit log");
        }
        check(problems);
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::take);
    }

    /** The whole file, before any of it is taken in. */
    private void check(Problems problems) {
        try {
            read(batch -> { });
        } catch (IOException e) {
            problems.add("'%s' can't be read (%s)".formatted(file, e.getMessage()));
        } catch (ExportedLine.Unreadable e) {
            problems.add("'%s' %s".formatted(file, e.getMessage()));
        }
    }

    private int take(DeadLetterQueue queue) {
        Mandate mandate = Mandate.of(Login.name(), reason);
        long count;
        try {
            count = read(batch -> new Import(queue).run(batch, mandate));
        } catch (IOException | ExportedLine.Unreadable e) {
            throw new IllegalStateException("'%s' changed while it was read; run the same command again".formatted(file), e);
        }
        if (common.json) {
            Json.print(Screen.of(spec), Map.of("imported", count, "run", mandate.run()));
        } else {
            Screen.of(spec).say("%,d records are in the queue, as %s by %s.".formatted(count, mandate.run(), mandate.actor()));
        }
        return 0;
    }

    private interface Batches {
        void take(List<Import.Imported> batch);
    }

    private long read(Batches batches) throws IOException, ExportedLine.Unreadable {
        long count = 0;
        var batch = new ArrayList<Import.Imported>();
        try (BufferedReader in = Files.newBufferedReader(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                batch.add(ExportedLine.read(line, ++count));
                if (batch.size() == BATCH) {
                    batches.take(List.copyOf(batch));
                    batch.clear();
                }
            }
        }
        if (!batch.isEmpty()) {
            batches.take(List.copyOf(batch));
        }
        return count;
    }
}
