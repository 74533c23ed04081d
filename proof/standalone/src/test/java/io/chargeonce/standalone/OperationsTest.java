// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.app.Main;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the documents for operators name is there. {@link LeastPrivilegeTest} checks the meters. */
class OperationsTest {

    private static final Path ROOT = Repository.root();
    private static final List<String> DOCUMENTS = List.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/operate/evidence.md",
            "docs/operate/install.md", "docs/operate/night.md", "docs/operate/reconcile.md", "docs/operate/runbook.md",
            "docs/operate/secure.md", "docs/operate/upgrade.md", "docs/operate/watch.md", "docs/dead-letters.md", "docs/first-hour.md",
            "docs/settings.md", "docs/scale.md", "docs/proof.md", "docs/planted-bugs.md", "docs/adding-a-psp.md", "docs/architecture.md",
            "docs/decisions.md", "docs/bank.md", "docs/card-data.md", "docs/console.md", "docs/receipts.md", "docs/security.md",
            "docs/sending-payments.md", "docs/webhooks.md", "docs/compatibility.md", "docs/releasing.md",
            "docs/testing-with-chargeonce.md", "deploy/compose.yaml", "deploy/drill", "deploy/night", "deploy/verify");
    /** Of scripts, tests and producers with Spring, not of the services. */
    private static final Set<String> OF_SCRIPTS =
            Set.of("CHARGEONCE_KEEP_STATEMENTS", "CHARGEONCE_KEEP_LIBRARIES", "CHARGEONCE_IMAGE", "CHARGEONCE_CONSOLE_IMAGE",
                    "CHARGEONCE_BASE_CACHE", "CHARGEONCE_TOKEN");

    /** What all settings of plugins begin with, and those of the example. */
    private static final Set<String> OF_PLUGINS = Set.of("CHARGEONCE_PSP", "CHARGEONCE_PSP_PAPER_KEY_FILE", "CHARGEONCE_PSP_PAPER_BASE");

    private static Stream<MatchResult> found(String pattern) {
        return DOCUMENTS.stream().flatMap(document -> {
            try {
                return Pattern.compile(pattern).matcher(Files.readString(ROOT.resolve(document))).results().toList().stream();
            } catch (IOException e) {
                throw new IllegalStateException(document + " cannot be read", e);
            }
        });
    }

    @Test
    void every_setting_that_is_named_exists() {
        var known = Stream.concat(Environment.CATALOGUE.stream(), Stream.of(Settings.PROPERTIES_FILE)).map(Setting::name)
                .collect(Collectors.toSet());
        var named = found("CHARGEONCE_[A-Z_]*[A-Z]").map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
        named.removeAll(OF_SCRIPTS);
        named.removeAll(OF_PLUGINS);
        assertThat(named).isNotEmpty().isSubsetOf(known);
    }

    @Test
    void every_command_that_is_named_exists_with_its_options() {
        CommandLine all = Main.commandLine();
        // Its benchmarks are a module beside this one.
        List<String> calls = Stream.concat(found("(?:`|\\$ |\\./|(?m:^ *))chargeonce ([a-z][^`|\n]*)").map(call -> call.group(1)),
                found("`((?:dlq|webhook|merchant|bank|migrate) [^`|\n]*)`").map(call -> call.group(1)))
                .filter(call -> !call.startsWith("bench ")).toList();
        assertThat(calls).hasSizeGreaterThan(30).allSatisfy(call -> look(all, call));
    }

    private static void look(CommandLine all, String call) {
        CommandLine command = all;
        for (String word : call.replaceFirst(" #.*", "").split("[^A-Za-z0-9_-]+")) {
            Map<String, CommandLine> below = command.getSubcommands();
            if (word.matches("--[a-z-]+")) {
                // A terminal breaks a long line anywhere.
                assertThat(command.getCommandSpec().optionsMap().keySet()).as(call).anyMatch(option -> option.startsWith(word));
            } else if (!below.isEmpty() && word.matches("[a-z]+(?:-[a-z]+)*")) {
                assertThat(below).as(call).containsKey(word);
                command = below.get(word);
            }
        }
    }

    /** That test and that drill exist: see below. */
    @Test
    void every_failure_of_the_table_has_its_alert_its_command_and_a_test_or_a_drill_that_produces_it() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("docs/operate/runbook.md"));
        List<String> rows =
                lines.stream().dropWhile(line -> !line.startsWith("| failure |")).skip(2).takeWhile(line -> line.startsWith("|"))
                        .toList();
        Set<String> headings = lines.stream().filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4).toLowerCase(Locale.ROOT).replace(' ', '-')).collect(Collectors.toSet());
        assertThat(rows).hasSizeGreaterThan(10).allSatisfy(row -> {
            String[] cells = row.split(" *\\| *");
            assertThat(cells).hasSize(6);
            assertThat(Pattern.compile("\\(#([a-z-]+)\\)").matcher(cells[3]).results().map(link -> link.group(1)).toList())
                    .isNotEmpty().allSatisfy(link -> assertThat(headings).contains(link));
            assertThat(cells[4]).isNotBlank();
            assertThat(cells[5]).matches(".*`(\\w+Test|deploy/[\\w .-]+)`.*");
        });
    }

    @Test
    void every_secret_that_kubernetes_is_to_mount_is_described_with_its_keys() throws IOException {
        String described = Repository.operations();
        var needed = new TreeSet<String>();
        try (Stream<Path> manifests = Files.walk(ROOT.resolve("deploy/kubernetes"))) {
            for (Path manifest : manifests.filter(file -> file.toString().endsWith(".yaml")).toList()) {
                Pattern.compile("secretName: ([\\w-]+)|/etc/chargeonce/(?:secret|psp)/([\\w.-]+)").matcher(Files.readString(manifest))
                        .results()
                        .forEach(found -> needed.add(Optional.ofNullable(found.group(1)).orElseGet(() -> found.group(2))));
            }
        }
        assertThat(needed).hasSizeGreaterThan(8).allSatisfy(name -> assertThat(described).contains("`" + name + "`"));
    }

    @Test
    void every_file_and_test_that_is_named_exists() throws IOException {
        var files =
                found("(?<![\\w/])((?:deploy|docs)/[\\w./-]*\\w)").map(each -> each.group(1))
                        .filter(name -> !name.startsWith("deploy/secrets") && !name.startsWith("deploy/target"))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(files).isNotEmpty().allSatisfy(name -> assertThat(ROOT.resolve(name)).exists());
        Set<String> tests;
        try (Stream<Path> sources = Files.walk(ROOT)) {
            tests = sources.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("Test.java"))
                    .map(name -> name.replace(".java", "")).collect(Collectors.toSet());
        }
        assertThat(found("`([A-Z]\\w+Test)`").map(each -> each.group(1)).toList()).isNotEmpty()
                .allSatisfy(name -> assertThat(tests).contains(name));
    }
}
