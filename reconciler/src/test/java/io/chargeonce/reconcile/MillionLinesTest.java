// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report of a million lines, each of them a difference, in a heap that could not hold them. */
class MillionLinesTest {

    private static final int LINES = 1_000_000;

    @TempDir
    private Path folder;

    private Path report() throws Exception {
        Path file = folder.resolve("report.csv");
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("id,key,moved,amount,currency,reference,booked_at\n");
            for (int i = 0; i < LINES; i++) {
                out.write(i % 100_000 == 7 ? "\"garbage\n" : "line-%d,,captured,%d.00,EUR,ref,2026-11-01T12:00:00Z\n".formatted(i, i + 1));
            }
        }
        return file;
    }

    @Test
    void a_million_lines_need_no_more_memory_than_a_thousand() throws Exception {
        try (var books = new Books()) {
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx40m", "-cp",
                    System.getProperty("java.class.path"), MillionLines.class.getName(), books.asReconciler(), report().toString())
                    .redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            assertThat(said).contains("1000000 lines, 999990 new, 999990 strange, 10 unreadable");
        }
    }
}
