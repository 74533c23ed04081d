// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Path KEPT = ROOT.resolve("docs/runs.jsonl");
    /** What the rows of runs say whose commit is gone. */
    private static final String NOT_SINCE = "none that is still here: not run since";

    @TempDir
    Path folder;

    @Test
    void a_run_replaces_the_one_of_its_name_and_the_rows_of_the_others_stay() throws IOException {
        Path file = folder.resolve("runs.jsonl");
        Path page = folder.resolve("page.md");
        Files.writeString(page, "# Page\n\n<!-- runs: drill -->\n\nThe end.\n");
        Runs.in(file).keep(new Run("drill", "one", Map.of("drill", "one")));
        Runs.in(file).keep(new Run("drill", "two", Map.of("drill", "two")));
        Runs.in(file).keep(new Run("other", "two", Map.of("other", "two")));
        Runs.in(file).keep(new Run("drill", "one", Map.of("drill", "one, again")));
        assertThat(page).hasContent("# Page\n\n<!-- runs: drill -->\n| drill |\n| --- |\n| one, again |\n| two |\n\nThe end.\n");
        assertThat(Files.readAllLines(file)).hasSize(3);
    }

    @Test
    void each_table_of_runs_is_what_the_file_has() throws IOException {
        Runs kept = Runs.in(KEPT);
        assertThat(kept.pages()).isNotEmpty().allSatisfy(page -> assertThat(kept.in(Files.readString(page))).as(page.toString())
                .isEqualTo(Files.readString(page)));
        String pages = kept.pages().stream().map(RunsTest::text).collect(Collectors.joining());
        assertThat(kept.all()).extracting(Run::kind).allSatisfy(kind -> assertThat(pages).contains("<!-- runs: " + kind + " -->"));
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void each_run_names_a_commit_of_this_history_or_says_that_there_is_none() throws IOException, InterruptedException {
        assumeTrue(Files.exists(ROOT.resolve(".git")) && git("rev-parse", "--is-shallow-repository").equals("false"),
                "the history is not here: the commits are not looked for");
        for (String commit : Runs.in(KEPT).all().stream().map(run -> run.cells().get(Run.COMMIT)).distinct().toList()) {
            if (!commit.equals(NOT_SINCE)) {
                assertThat(commit).matches("[0-9a-f]{7,40}");
                assertThat(git("merge-base", "--is-ancestor", commit, "HEAD")).as(commit).isEmpty();
            }
        }
    }

    private static String git(String... words) throws IOException, InterruptedException {
        var git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(words)).toList()).directory(ROOT.toFile())
                .redirectErrorStream(true).start();
        String said = new String(git.getInputStream().readAllBytes()).strip();
        return git.waitFor() == 0 ? said : said + " (exit " + git.exitValue() + ")";
    }

    @Test
    void each_drill_has_a_row() throws IOException {
        String drill = Files.readString(ROOT.resolve("deploy/drill"));
        assertThat(Pattern.compile("deploy/drill ([a-z]+)").matcher(drill).results().map(each -> each.group(1)).distinct())
                .containsExactlyInAnyOrderElementsOf(Runs.in(KEPT).all().stream().filter(run -> run.kind().equals("drill")).map(Run::name)
                        .toList());
    }
}
