// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.runtime.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReadmeTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");
    private static final Pattern TEST_NAME = Pattern.compile("`([a-z]+(?:_[a-z0-9]+){2,})`");

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }

    @Test
    void the_table_of_settings_is_the_code() {
        List<String> rows = Environment.CATALOGUE.stream().map(ReadmeTest::row).toList();
        assertThat(read("docs/settings.md").lines().filter(line -> line.startsWith("| `CHARGEONCE_")))
                .containsExactlyInAnyOrderElementsOf(rows);
    }

    private static String row(Setting<?> setting) {
        return "| `%s` | %s | %s | %s |".formatted(setting.name(), setting.description(), setting.allowed(), setting.fallback());
    }

    @Test
    void the_front_page_is_two_screens() {
        assertThat(read("README.md").lines()).hasSizeLessThanOrEqualTo(150);
    }

    @Test
    void every_link_leads_to_a_file_and_to_a_heading_of_it() throws IOException {
        for (String page : Stream.concat(Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md"),
                Repository.documents("docs").stream().map(file -> Repository.root().relativize(file).toString())).toList()) {
            Path from = ROOT.resolve(page);
            Matcher link = LINK.matcher(read(page));
            while (link.find()) {
                Path to = link.group(1).isEmpty() ? from : from.resolveSibling(link.group(1));
                assertThat(to).as("%s links to it", page).exists();
                if (link.group(2) != null) {
                    assertThat(anchors(to)).as("%s links to %s", page, to).contains(link.group(2));
                }
            }
        }
    }

    private static List<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream().filter(line -> line.startsWith("#") || line.startsWith("<a id="))
                .map(line -> line.replaceFirst("^#+ |<a id=\"(.*)\"></a>", "$1").toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
                .toList();
    }

    @Test
    void the_table_of_invariants_is_the_code() {
        assertThat(read("docs/proof.md").lines().dropWhile(line -> !line.equals("| id | what must hold |")).skip(2)
                .takeWhile(line -> line.startsWith("|")).map(line -> line.split(" *\\| *")[1]))
                .containsExactlyInAnyOrderElementsOf(Stream.of(Invariant.values()).map(Invariant::id).toList());
    }

    @Test
    void the_map_of_the_code_has_every_module() {
        List<String> map =
                read("docs/architecture.md").lines().dropWhile(line -> !line.equals("## Map of the code")).skip(1)
                        .takeWhile(line -> !line.startsWith("## ")).filter(line -> line.contains("  "))
                        .map(line -> line.replaceFirst(" .*", "")).toList();
        assertThat(Pattern.compile("<module>(.*)</module>").matcher(read("pom.xml")).results()
                .map(module -> module.group(1))).isNotEmpty()
                .allMatch(module -> map.contains(module) || map.contains(module.replaceFirst("/.*", "")));
    }

    @Test
    void the_java_client_has_the_coordinates_that_its_page_names() {
        String version = read("ingest-client/pom.xml").replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
        assertThat(read("docs/sending-payments.md"))
                .contains("<groupId>io.chargeonce</groupId><artifactId>ingest-client</artifactId><version>"
                        + version + "</version>", "-pl ingest-client -am -DskipTests install");
    }

    /** Whether only {@code -Pproof} runs the test, by a tag of its class or its own. */
    private static boolean isProof(String test, String source) {
        return source.contains("void " + test + "(") && Pattern.compile("^@Tag\\(\"proof\"\\)$"
                + "|^    @Tag\\(\"proof\"\\)\n(?:    [@ ].*\n)*    void " + test + "\\(", Pattern.MULTILINE).matcher(source).find();
    }

    /** Each name of a test stands in a row that links to the file, and the file has that test. The row says if only proofs show it. */
    @Test
    void every_guarantee_names_its_tests_and_links_to_the_file_that_has_them() {
        List<String> guarantees = read("docs/guarantees.md").lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| guarantee |") && !line.startsWith("| --- |")).toList();
        assertThat(guarantees).hasSizeGreaterThan(40).allSatisfy(row -> {
            List<String> linked = LINK.matcher(row).results().map(link -> link.group(1)).filter(file -> file.endsWith("Test.java")
                    || file.endsWith("Contract.java")).map(file -> read("docs/" + file)).toList();
            List<String> tests = TEST_NAME.matcher(row).results().map(name -> name.group(1)).toList();
            assertThat(tests).isNotEmpty().allSatisfy(test -> assertThat(linked).anyMatch(file -> file.contains("void " + test + "(")));
            assertThat(row.contains("`-Pproof`")).as(row)
                    .isEqualTo(tests.stream().anyMatch(test -> linked.stream().anyMatch(file -> isProof(test, file))));
        });
    }
}
