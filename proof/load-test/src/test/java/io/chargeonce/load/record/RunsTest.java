// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    /** What the rows of runs say whose commit is gone. */
    private static final String NOT_SINCE = "none that is still here: not run since";

    @TempDir
    Path folder;

    @Test
    void a_run_replaces_the_one_of_its_name_and_the_rows_of_the_others_stay() throws IOException {
        Path results = Files.createDirectories(folder.resolve("proof/results"));
        Path page = Files.createDirectories(folder.resolve("docs")).resolve("page.md");
        Files.writeString(page, "# Page\n\n<!-- runs: drill -->\n\nThe end.\n\n<!-- runs: none -->\n");
        Files.writeString(results.resolve("earlier.json"), "[{\"kind\": \"drill\", \"name\": \"one\", \"drill\": \"of old\"}, "
                + "{\"kind\": \"drill\", \"name\": \"old\", \"drill\": \"old\", \"commit\": \"0123456\", \"on\": \"2026-11-22\"}]");
        keep("drill", "one", "one");
        keep("drill", "two", "two");
        keep("other", "two", "two");
        keep("drill", "one", "one, again");
        Runs.in(folder).write();
        String written = Files.readString(page);
        assertThat(written.replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d", "NOW"))
                .isEqualTo("# Page\n\n<!-- runs: drill -->\n| drill | commit | on |\n| --- | --- | --- |\n"
                        + "| old | 0123456 | 2026-11-22 |\n| one, again | abc1234 | NOW |\n| two | abc1234 | NOW |\n\nThe end.\n\n"
                        + "<!-- runs: none -->\n");
        assertThat(Runs.in(folder).in(written)).isEqualTo(written);
        assertThat(Results.read(results.resolve("abc1234.json"))).hasSize(3);
    }

    @Test
    void what_others_keep_meanwhile_stays() throws IOException {
        Files.createDirectories(folder.resolve("proof/results"));
        Results one = Results.of(folder, "abc1234");
        keep("drill", "other", "other");
        one.keep(new Run("drill", "one", Map.of()));
        assertThat(Results.of(folder, "abc1234").all()).extracting(Run::name).containsExactlyInAnyOrder("one", "other");
    }

    private void keep(String kind, String name, String text) throws IOException {
        Results.of(folder, "abc1234").keep(new Run(kind, name, Map.of(kind, text)));
    }

    @Test
    void each_table_of_runs_is_what_the_files_have() throws IOException {
        Runs kept = Runs.in(ROOT);
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
        var commits = new TreeSet<String>();
        for (Path file : Runs.in(ROOT).files()) {
            List<String> named = Results.read(file).stream().map(run -> run.cell(Run.COMMIT).orElseThrow()).toList();
            commits.addAll(named);
            if (!file.endsWith("earlier.json")) {
                assertThat(named).as("%s", file).containsOnly(file.getFileName().toString().replace(".json", ""));
            }
        }
        for (String commit : commits) {
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
                .containsExactlyInAnyOrderElementsOf(Runs.in(ROOT).all().stream().filter(run -> run.kind().equals("drill")).map(Run::name)
                        .toList());
    }
}
