// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.QueueRows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a process, in a terminal (a pty, made by util-linux's script) and without one. */
class TerminalTest {

    private static final String ESCAPE = "\u001b[";
    private static final int CTRL_C = 3;
    private static final int ENDED_BY_CTRL_C = 128 + 2;
    private static final Path SCRIPT = Path.of("/usr/bin/script");

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @TempDir
    Path folder;

    @Test
    void colours_are_for_a_terminal_only_and_not_for_who_does_not_want_them() throws Exception {
        rows.dead();
        Process piped = CommandProcess.startInto(folder.resolve("piped"), rows, "list");
        assertThat(piped.waitFor()).isZero();
        assertThat(Files.readString(folder.resolve("piped"))).contains("psp_unwell").doesNotContain(ESCAPE);

        Process colourful = inATerminal("colourful", "", "list");
        assertThat(colourful.waitFor()).isZero();
        assertThat(printed("colourful")).contains("psp_unwell", ESCAPE + "1m");
        Process plain = inATerminal("plain", "NO_COLOR=1 ", "list");
        assertThat(plain.waitFor()).isZero();
        assertThat(printed("plain")).contains("psp_unwell").doesNotContain(ESCAPE);
    }

    @Test
    void a_merge_at_a_terminal_shows_its_progress_and_ctrl_c_stops_it_between_two_batches() throws Exception {
        List<String> dead = rows.dead(8);
        Process merge = inATerminal("merge", "", "merge", "--all", "--canary", "0", "--rate", "2", "--yes");
        await().until(() -> rows.accepted().size() >= 2);
        merge.getOutputStream().write(CTRL_C);
        merge.getOutputStream().flush();
        assertThat(merge.waitFor()).as(printed("merge")).isEqualTo(ENDED_BY_CTRL_C);
        assertThat(printed("merge")).contains("looking at the dead letters …", "freezing 8 dead letters as run_", "2/8", "0 failed",
                "Stopped between two batches, nothing is left half done.");
        goesOn("merge", dead);
    }

    @Test
    void a_merge_at_a_terminal_waits_for_its_outcomes_and_has_stopped_when_its_payments_die_again() throws Exception {
        List<String> dead = rows.dead(2);
        Process merge = inATerminal("merge", "", "merge", "--all", "--canary", "0", "--wait", "10m", "--yes");
        await().until(() -> printed("merge").contains("2 open"));
        rows.succeed(dead.getFirst());
        await().until(() -> printed("merge").contains("1 ok, 0 failed, 1 open"));
        rows.fail(dead.getLast(), "still unwell");
        assertThat(merge.waitFor()).as(printed("merge")).isOne();
        assertThat(printed("merge")).contains("    1  12.99 EUR  succeeded", "    1  12.99 EUR  failed again",
                "Aborted by the run itself: 1 of 2 failed again.", "What died again:    chargeonce dlq list --run run_");
    }

    @Test
    void an_interrupt_stops_a_merge_between_two_batches_without_a_terminal_too() throws Exception {
        List<String> dead = rows.dead(8);
        Process merge = CommandProcess.startInto(folder.resolve("merge"), rows, "merge", "--all", "--canary", "0", "--rate", "2", "--yes");
        await().until(() -> rows.accepted().size() >= 2);
        assertThat(new ProcessBuilder("kill", "-INT", "" + merge.pid()).inheritIO().start().waitFor()).isZero();
        assertThat(merge.waitFor()).as(printed("merge")).isEqualTo(ENDED_BY_CTRL_C);
        assertThat(printed("merge")).contains("Stopped between two batches, nothing is left half done.").doesNotContain("freezing", "\r");
        goesOn("merge", dead);
    }

    @Test
    void a_watch_goes_on_while_postgres_gives_no_answer_and_q_ends_it() throws Exception {
        rows.dead();
        Process watch = inATerminal("watch", "", "watch");
        await().until(() -> printed("watch").contains("1 dead letter") && printed("watch").contains("q quits; looks every 1 s"));
        rows.owner().inTransaction(connection -> {
            Database.waitForLocks(connection, Duration.ofSeconds(10));
            try (var lock = connection.createStatement()) {
                lock.execute("LOCK TABLE dead_letter");
            }
            await().until(() -> printed("watch").contains("Postgres gives no answer; this is what was known at the time above. q quits"));
            return true;
        });
        rows.dead();
        await().until(() -> printed("watch").contains("2 dead letters"));
        watch.getOutputStream().write('q');
        watch.getOutputStream().flush();
        assertThat(watch.waitFor()).as(printed("watch")).isZero();
        assertThat(printed("watch")).as("the screen is as it was").contains(ESCAPE + "?25h" + ESCAPE + "?1049l");
    }

    @Test
    void a_settlement_at_a_terminal_fits_eighty_columns_and_says_what_was_answered() throws Exception {
        String id = rows.unresolvedAndAsked(true);
        Process look = inATerminal("look", "", "settle", id, "--not-charged", "--evidence", "ticket 4711");
        assertThat(look.waitFor()).as(printed("look")).isZero();
        Process settle = inATerminal("settle", "", "settle", id, "--not-charged", "--evidence", "ticket 4711", "--yes");
        await().until(
                () -> rows.text("UPDATE hand_settlement SET state = 'settled', answer = 'the PSP does not know the outcome' RETURNING 1")
                        .equals("1"));
        assertThat(settle.waitFor()).as(printed("settle")).isZero();
        assertThat(printed("look") + printed("settle")).contains("Nothing was changed. Do it with --yes.", "Settled as not charged by");
        assertThat((printed("look") + printed("settle")).replace("\r\n", "\n").lines()).allSatisfy(
                line -> assertThat(line.replaceAll(".*\r|" + ESCAPE.replace("[", "\\[") + "[0-9;]*[mK]", "")).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void what_went_wrong_is_broken_between_words_at_a_terminal() throws Exception {
        rows.poison(new byte[] {1});
        String run = Called.of(rows::open, "merge", "--all", "--yes", "--wait", "0", "--json").json().getFirst().path("run").asString();
        List<List<String>> wrong = List.of(List.of("merge", "--resume", run), List.of("runs", "stop", run),
                List.of("restore", "psn_0123456789abcdef01234567", "--reason", "r"),
                List.of("resume", "merchant", "acme", "--reason", "r"));
        for (List<String> command : wrong) {
            Process refused = inATerminal("refused", "", command.toArray(String[]::new));
            refused.waitFor();
            assertThat(printed("refused").replace("\r\n", "\n").lines()).as(printed("refused")).isNotEmpty().allSatisfy(
                    line -> assertThat(line.replaceAll(".*\r|" + ESCAPE.replace("[", "\\[") + "[0-9;]*[mK]", ""))
                            .hasSizeLessThanOrEqualTo(80));
        }
    }

    /** By the very command that was printed, at once. */
    private void goesOn(String name, List<String> dead) throws IOException {
        assertThat(rows.accepted()).hasSizeBetween(2, 6);
        String run = printed(name).lines().filter(line -> line.startsWith("To go on:")).collect(Collectors.joining())
                .replaceFirst(".*--resume ", "").strip();
        Called resumed = Called.of(rows::open, "merge", "--resume", run, "--wait", "0");
        assertThat(resumed.exit()).as(resumed.err()).isZero();
        EachOnce.merged(rows, dead);
    }

    private Process inATerminal(String name, String environment, String... arguments) throws IOException {
        assumeThat(SCRIPT).isExecutable();
        String line = CommandProcess.line(rows, arguments).stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        return new ProcessBuilder(SCRIPT.toString(), "-qefc", environment + "TERM=xterm exec " + line, "/dev/null")
                .redirectErrorStream(true).redirectOutput(folder.resolve(name).toFile()).start();
    }

    private String printed(String name) throws IOException {
        return Files.readString(folder.resolve(name), StandardCharsets.UTF_8);
    }

    /** A busy machine may take longer than ten seconds for a screen. */
    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }
}
