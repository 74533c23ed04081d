// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docs/security.md says is stopped is proved by the tests that it names. */
class SecurityPageTest {

    private static final Path PAGE = Repository.root().resolve("docs/security.md");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");
    private static final Pattern TEST_NAME = Pattern.compile("`([a-z]+(?:_[a-z0-9]+){2,})`");

    @Test
    void every_line_names_its_tests_and_links_to_the_files_that_have_them() throws IOException {
        List<String> lines = Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| ") && !line.startsWith("| wants to")
                && !line.startsWith("| ---"))
                .toList();
        assertThat(lines).hasSizeGreaterThan(20).allSatisfy(line -> {
            String linked = LINK.matcher(line).results().map(link -> link.group(1)).filter(file -> file.endsWith("Test.java"))
                    .map(file -> read(PAGE.resolveSibling(file))).collect(Collectors.joining("\n"));
            assertThat(TEST_NAME.matcher(line).results().map(name -> name.group(1)).toList()).as(line).isNotEmpty()
                    .allSatisfy(test -> assertThat(linked).contains("void " + test + "("));
        });
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }
}
