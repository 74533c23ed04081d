// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.text.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for each source file and each package. The layout of a file is the formatter's. */
class SourcesTest {

    private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0";
    private static final long MOST_FILES = 31;
    private static final int MOST_LINES = 400;
    private static final int WIDEST = 140;
    private static final String PROOF = ".*/proof/[a-z-]+/src/.*";

    private static List<Path> sources(String kind) throws IOException {
        return Repository.modules().stream().map(module -> module.resolve("src/" + kind + "/java")).filter(Files::isDirectory)
                .flatMap(SourcesTest::javaFiles).toList();
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void each_source_file_names_its_licence() throws IOException {
        var files = Stream.concat(sources("main").stream(), sources("test").stream()).toList();
        assertThat(files).hasSizeGreaterThan(1_000).allSatisfy(file -> assertThat(Files.readAllLines(file).getFirst()).isEqualTo(LICENCE));
    }

    /** In ar-EG, %d has other digits. Examples belong to others; they format nothing that a machine reads. */
    @Test
    void each_process_formats_in_the_root_locale_from_its_first_line_on() throws IOException {
        List<Path> mains = sources("main").stream().filter(file -> read(file).contains("public static void main(")).toList();
        assertThat(mains).hasSizeGreaterThan(2).allSatisfy(file -> assertThat(read(file)).containsPattern(
                "public static void main\\(.*\\{\\s+(//.*\\s+)?Locale\\.setDefault\\(Locale\\.ROOT\\);"));
    }

    /** A cut by units of UTF-16 leaves half a character, which readers of JSON refuse. */
    @Test
    void only_one_class_shortens_text() throws IOException {
        assertThat(sources("main")).filteredOn(file -> !file.endsWith("text/Cut.java") && !file.toString().matches(PROOF))
                .allSatisfy(file -> assertThat(read(file)).doesNotContainPattern("substring\\(0, (Math\\.min\\([^\\d]|LONGEST|MOST)"));
    }

    /** The terminal and the mails take it from Printable. */
    @ParameterizedTest
    @ValueSource(strings = {"console/src/main/resources/io/chargeonce/console/page/lib/html.js",
        "app/src/main/resources/logback-service-text.xml", "app/src/main/resources/logback-file.xml"})
    void there_is_one_list_of_what_turns_text_around(String file) {
        assertThat(read(Repository.root().resolve(file))).contains("[" + Printable.TURNS + "]");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void each_package_says_what_lives_there_and_has_few_files() throws IOException {
        // Seams are names that load-test gives to methods from within a package of the product.
        Map<Path, List<Path>> packages = sources("main").stream().filter(file -> !file.toString().endsWith("Seams.java"))
                .collect(Collectors.groupingBy(Path::getParent));
        packages.forEach((folder, files) -> {
            String name = folder.toString().replaceFirst(".*/src/main/java/", "").replace('/', '.');
            assertThat(folder.resolve("package-info.java")).exists();
            assertThat((long) files.size()).as(name).isLessThanOrEqualTo(MOST_FILES);
        });
    }

    @Test
    void no_line_is_wider_than_140_columns_and_no_file_of_the_product_longer_than_400_lines() throws IOException {
        for (Path file : Stream.concat(sources("main").stream(), sources("test").stream()).toList()) {
            assertThat(Files.readAllLines(file)).as(file.toString())
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(WIDEST));
        }
        for (Path file : sources("main")) {
            assertThat(Files.readAllLines(file).size()).as(file.toString()).isLessThanOrEqualTo(MOST_LINES);
        }
    }

    /** Any login of Postgres may hold one, and so would stop what waits for it. A session's mark counts only for who may write the rows. */
    @Test
    void nothing_but_the_mark_of_a_session_is_an_advisory_lock() throws IOException {
        List<Path> schema;
        try (var files = Files.list(Repository.root().resolve("pipeline-core/src/main/resources/io/chargeonce/database/migration"))) {
            schema = files.toList();
        }
        assertThat(schema).isNotEmpty();
        assertThat(Stream.concat(schema.stream(), sources("main").stream()
                .filter(file -> List
                        .of("SessionMark.java", "PostgresWire.java", "SimulatedPostgres.java", "RevenueBook.java", "LockAttacks.java")
                        .stream().noneMatch(file::endsWith))))
                .allSatisfy(file -> assertThat(Files.readString(file)).doesNotContain("pg_advisory", "pg_try_advisory"));
    }

    /** {@code charge/Claims} in the text is {@code …/io/chargeonce/charge/Claims.java}. */
    @ParameterizedTest
    @ValueSource(strings = {"docs/architecture.md", "CONTRIBUTING.md"})
    void each_class_that_a_page_sends_its_reader_to_is_there(String page) throws IOException {
        Set<String> classes = sources("main").stream()
                .map(file -> file.toString().replaceFirst(".*/src/main/java/io/chargeonce/", "").replaceFirst("\\.java$", ""))
                .collect(Collectors.toSet());
        List<String> named = Pattern.compile("`([a-z]+(?:/[a-z]+)*/[A-Z]\\w*)`").matcher(Files.readString(Repository.root().resolve(page)))
                .results().map(found -> found.group(1)).distinct().toList();
        assertThat(named).hasSizeGreaterThan(5);
        assertThat(classes).containsAll(named);
    }
}
