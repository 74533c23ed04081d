// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.chargeonce.app.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** The dry run of every script: its text is sound, and the commands take each line that it would give them. Nothing is started. */
class ScriptsTest {

    private static final Path ROOT = Repository.root();
    /** One of them is right for an option or a word that a script fills with a variable. */
    private static final List<String> SAMPLES = List.of("1", "1s", "x", "http://127.0.0.1:1", "2026-01-01T00:00:00Z", "127.0.0.1:1", "a=1");

    @Test
    void shellcheck_has_nothing_to_say_about_any_script() throws IOException, InterruptedException {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, "shellcheck"))),
                "shellcheck is missing (Debian: apt-get install shellcheck): the scripts are not looked through");
        var command = new ArrayList<>(List.of("shellcheck", "--format=gcc"));
        Script.all().forEach(script -> command.add(ROOT.relativize(script.file()).toString()));
        var shellcheck = new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
        assertThat(new String(shellcheck.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(shellcheck.waitFor()).isZero();
    }

    @TestFactory
    Stream<DynamicTest> each_command_of_ours_that_a_script_runs_takes_its_options() throws IOException {
        List<Script> scripts = Script.all();
        assertThat(scripts.stream().map(script -> ROOT.relativize(script.file()).toString()))
                .contains("chargeonce", ".ci/run", "deploy/drill", "deploy/night", "deploy/verify", "deploy/verify.d/compose-up");
        assertThat(scripts.stream().mapToInt(script -> script.commands().size()).sum()).isGreaterThan(60);
        return scripts.stream().flatMap(script -> script.commands().stream().filter(words -> !words.getFirst().equals("bench"))
                .map(words -> DynamicTest.dynamicTest(ROOT.relativize(script.file()) + ": " + shown(words), () -> parse(words))));
    }

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?$(.*?)^```");
    /** What a command says ends with a full stop. Transcripts, with a prompt, are played by a script. */
    private static final Pattern TYPED = Pattern.compile("(?m)^(?:\\./)?chargeonce (?=[a-z])(?!.*\\.$)");

    @TestFactory
    Stream<DynamicTest> each_command_of_ours_in_the_documents_takes_its_options() throws IOException {
        List<Path> pages;
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            pages = Stream
                    .concat(Stream.of("README.md", "CONTRIBUTING.md", "examples/README.md", "clients/README.md").map(ROOT::resolve), docs)
                    .filter(page -> page.toString().endsWith(".md")).sorted().toList();
        }
        var tests = new ArrayList<DynamicTest>();
        for (Path page : pages) {
            String blocks = BLOCK.matcher(Files.readString(page)).results().map(block -> block.group(1)).collect(Collectors.joining("\n"));
            String typed = TYPED.matcher(blocks).replaceAll("./chargeonce ").replaceAll("(?m) +# .*$", "");
            new Script(page, typed).commands().stream().filter(words -> !words.getFirst().equals("bench")).forEach(
                    words -> tests.add(DynamicTest.dynamicTest(ROOT.relativize(page) + ": " + shown(words), () -> parse(words))));
        }
        assertThat(tests).hasSizeGreaterThan(40);
        return tests.stream();
    }

    private static String shown(List<String> words) {
        return String.join(" ", words).replace(Script.ANY_MORE, "…").replace(Script.UNKNOWN, '*');
    }

    /** Fails if the commands refuse these words. */
    static void parse(List<String> words) {
        CommandLine command = Main.commandLine();
        var line = new ArrayList<String>();
        int at = 0;
        for (; at < words.size() && command.getSubcommands().containsKey(words.get(at)); at++) {
            command = command.getSubcommands().get(words.get(at));
            line.add(words.get(at));
        }
        if (at < words.size() && !command.getSubcommands().isEmpty() && words.get(at).indexOf(Script.UNKNOWN) >= 0) {
            return;
        }
        for (String word : words.subList(at, words.size())) {
            if (word.equals(Script.ANY_MORE)) {
                continue;
            }
            line.add(word.length() == 1 && word.charAt(0) == Script.UNKNOWN ? sample(line) : word.replace(Script.UNKNOWN, '1'));
        }
        try {
            Main.commandLine().parseArgs(line.toArray(String[]::new));
        } catch (MissingParameterException e) {
            if (!words.contains(Script.ANY_MORE)) {
                fail(shown(words) + ": " + e.getMessage());
            }
        } catch (ParameterException e) {
            fail(shown(words) + ": " + e.getMessage());
        }
    }

    /** What the command takes behind these words. */
    private static String sample(List<String> before) {
        return SAMPLES.stream().filter(sample -> {
            try {
                Main.commandLine().parseArgs(Stream.concat(before.stream(), Stream.of(sample)).toArray(String[]::new));
                return true;
            } catch (MissingParameterException e) {
                return true;
            } catch (ParameterException e) {
                return false;
            }
        }).findFirst().orElse("x");
    }

    @Test
    void a_wrong_command_in_a_script_is_seen() {
        var script = new Script(Path.of("x"), """
                #!/usr/bin/env bash
                dlq() { ./chargeonce dlq "$@"; }
                start() {
                  local name=$1; shift
                  A=b ./chargeonce "$@" > "$work/$name.log" 2>&1 &
                }
                step x "chargeonce dlq why $id --nothing"
                if dlq list --limit 1 --limit 2 > /dev/null; then start load load run \\
                  --rat "$(date -d '1 day ago')"; fi
                start sound sandbox --kafka-port $kafka
                """);
        assertThat(script.commands().stream().map(ScriptsTest::shown)).containsExactlyInAnyOrder("dlq …", "dlq why * --nothing",
                "dlq list --limit 1 --limit 2", "load run --rat *", "sandbox --kafka-port *");
        assertThat(script.commands()).allSatisfy(words -> {
            if (words.getFirst().equals("sandbox") || words.contains(Script.ANY_MORE)) {
                parse(words);
            } else {
                assertThatThrownBy(() -> parse(words)).isInstanceOf(AssertionError.class);
            }
        });
    }

    @Test
    void each_drill_that_a_page_names_is_one_and_each_is_listed_at_the_top_of_the_script() throws IOException {
        String script = Files.readString(ROOT.resolve("deploy/drill"));
        Set<String> drills = Pattern.compile("(?m)^  ([a-z]+(?: \\| [a-z]+)*)\\)$").matcher(script).results()
                .flatMap(label -> Stream.of(label.group(1).split(" \\| "))).collect(Collectors.toCollection(TreeSet::new));
        assertThat(drills).hasSizeGreaterThan(10);
        Pattern named = Pattern.compile("deploy/drill ([a-z]+)");
        assertThat(named.matcher(script).results().map(each -> each.group(1)).collect(Collectors.toSet())).isEqualTo(drills);
        for (String page : List.of("docs/operate/evidence.md", "docs/operate/runbook.md", "docs/operate/upgrade.md", "docs/proof.md",
                "docs/scale.md", "README.md")) {
            assertThat(named.matcher(Files.readString(ROOT.resolve(page))).results().map(each -> each.group(1))).as(page)
                    .allMatch(drills::contains);
        }
    }
}
