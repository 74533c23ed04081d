// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report of a million lines, each of them a difference, in a heap that could not hold them. The same with fewer of them is quick. */
class MillionLinesTest {

    @TempDir
    private Path folder;

    private Path report(int lines) throws Exception {
        Path file = folder.resolve("report.csv");
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("id,key,moved,amount,currency,reference,booked_at\n");
            for (int i = 0; i < lines; i++) {
                out.write(i % 10_000 == 7 ? "\"garbage\n" : "line-%d,,captured,%d.00,EUR,ref,2026-11-01T12:00:00Z\n".formatted(i, i + 1));
            }
        }
        return file;
    }

    @Test
    void thirty_thousand_lines_are_read_compared_and_counted() throws Exception {
        reconciles(30_000, "30000 lines, 29997 new, 29997 strange, 3 unreadable");
    }

    @Test
    @Tag("proof")
    void a_million_lines_need_no_more_memory_than_a_thousand() throws Exception {
        reconciles(1_000_000, "1000000 lines, 999900 new, 999900 strange, 100 unreadable");
    }

    private void reconciles(int lines, String expected) throws Exception {
        try (var books = new Books()) {
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx40m", "-cp",
                    System.getProperty("java.class.path"), MillionLines.class.getName(), books.asReconciler(), report(lines).toString())
                    .redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            assertThat(said).contains(expected);
        }
    }
}
