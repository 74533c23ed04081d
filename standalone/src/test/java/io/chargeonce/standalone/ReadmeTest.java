package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReadmeTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");
    private static final Pattern TEST_NAME = Pattern.compile("`([a-z]+(?:_[a-z0-9]+){2,})`");

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }

    @Test
    void its_table_of_settings_is_the_code() {
        List<String> rows = Environment.CATALOGUE.stream().map(ReadmeTest::row).toList();
        assertThat(read("README.md").lines().filter(line -> line.startsWith("| `CHARGEONCE_"))).containsExactlyInAnyOrderElementsOf(rows);
    }

    private static String row(Setting<?> setting) {
        return "| `%s` | %s | %s | %s |".formatted(setting.name(), setting.description(), setting.allowed(), setting.fallback());
    }

    @Test
    void every_link_leads_to_a_file() {
        for (String page : List.of("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/decisions.md")) {
            Path folder = ROOT.resolve(page).getParent();
            Matcher link = LINK.matcher(read(page));
            while (link.find()) {
                assertThat(folder.resolve(link.group(1))).as("%s links to it", page).exists();
            }
        }
    }

    @Test
    void every_test_that_it_names_exists() throws IOException {
        String tests;
        try (Stream<Path> files = Files.walk(ROOT)) {
            tests = String.join("\n", files.filter(file -> file.toString().contains("src/test/java") && file.toString().endsWith(".java"))
                    .map(file -> read(ROOT.relativize(file).toString())).toList());
        }
        Matcher name = TEST_NAME.matcher(read("README.md"));
        assertThat(name.results().map(found -> found.group(1)).toList()).isNotEmpty()
                .allSatisfy(test -> assertThat(tests).contains("void " + test + "("));
    }
}
