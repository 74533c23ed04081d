// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a browser gets from the console, file by file. */
class PageFilesTest {

    private static final int MOST_LINES = 300;
    private static final Pattern ADDRESS = Pattern.compile("https?://[^\\s'\"`)]+");
    private static final Pattern NAMESPACE = Pattern.compile("http://www\\.w3\\.org/[\\w/]+");
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*\\*.*$|(?:^|[\\s{};,])//.*$");
    private static final Pattern IMPORT = Pattern.compile("(?:from\\s*|import\\(|import\\s+)['\"](\\.[^'\"]+)['\"]");
    private static final Pattern LINKED = Pattern.compile("(?:src|href)=\"/([^\"]+)\"");
    /** What a strict Content-Security-Policy refuses, and what makes a string into HTML. */
    private static final Pattern INLINE = Pattern.compile(
            "<style|\\sstyle=[\"']|<script(?![^>]*\\ssrc=)|\\son\\w+=[\"']|javascript:"
                    + "|\\beval\\(|new Function\\b|innerHTML|setAttribute\\('style'");

    /** One line of vendor/files.sha256. */
    private record Vendored(String hash, String name) {

        static Vendored of(String line) {
            String[] words = line.split("\\s+");
            return new Vendored(words[0], words[1]);
        }
    }

    private static Path page() throws URISyntaxException {
        URI index = PageFilesTest.class.getResource("/io/chargeonce/console/page/index.html").toURI();
        return Path.of(index).getParent();
    }

    private static List<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.walk(page())) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static List<Path> ours() throws IOException, URISyntaxException {
        return files().stream().filter(file -> !isVendored(file)).toList();
    }

    private static boolean isVendored(Path file) {
        return file.getParent().endsWith("vendor") && !file.endsWith("files.sha256");
    }

    private static List<Vendored> vendored() throws IOException, URISyntaxException {
        return Files.readAllLines(page().resolve("vendor/files.sha256")).stream().filter(line -> !line.startsWith("#"))
                .map(Vendored::of).toList();
    }

    private static String hash(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void each_vendored_file_is_the_one_that_its_package_holds() throws Exception {
        assertThat(vendored()).hasSizeGreaterThan(6);
        for (Vendored file : vendored()) {
            String text = Files.readString(page().resolve("vendor").resolve(file.name));
            // A browser resolves no bare name without an inline import map.
            String asPublished = file.name.equals("hooks.js") ? text.replace("from\"./preact.js\"", "from\"preact\"") : text;
            assertThat(hash(asPublished.getBytes(UTF_8))).as(file.name).isEqualTo(file.hash);
        }
    }

    @Test
    void no_file_is_vendored_without_its_hash() throws Exception {
        assertThat(files().stream().filter(PageFilesTest::isVendored).map(file -> file.getFileName().toString()))
                .containsExactlyInAnyOrderElementsOf(vendored().stream().map(Vendored::name).toList());
    }

    @Test
    void no_file_asks_another_host_for_anything() throws Exception {
        for (Path file : files()) {
            if (file.toString().endsWith(".LICENSE.txt")) {
                continue;
            }
            String text = COMMENT.matcher(Files.readString(file)).replaceAll("");
            assertThat(ADDRESS.matcher(text).results().map(found -> found.group())).as(file.toString())
                    .allSatisfy(address -> assertThat(address).matches(NAMESPACE));
        }
    }

    @Test
    void nothing_of_ours_needs_an_inline_style_or_script() throws Exception {
        assertThat(ours()).hasSizeGreaterThan(50)
                .allSatisfy(file -> assertThat(INLINE.matcher(Files.readString(file)).results().map(found -> found.group())).isEmpty());
    }

    @Test
    void each_file_of_ours_names_its_licence_and_is_short() throws Exception {
        assertThat(ours()).allSatisfy(file -> {
            List<String> lines = Files.readAllLines(file);
            assertThat(lines.subList(0, 2)).anySatisfy(line -> assertThat(line).contains("SPDX-License-Identifier: Apache-2.0"));
            assertThat(lines).hasSizeLessThan(MOST_LINES);
        });
    }

    @Test
    void each_file_that_another_one_names_is_there() throws Exception {
        Path page = page();
        assertThat(LINKED.matcher(Files.readString(page.resolve("index.html"))).results().map(found -> page.resolve(found.group(1))))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(file).exists());
        for (Path file : files().stream().filter(file -> file.toString().endsWith(".js")).toList()) {
            assertThat(IMPORT.matcher(Files.readString(file)).results().map(found -> file.resolveSibling(found.group(1)).normalize()))
                    .as(file.toString()).allSatisfy(named -> assertThat(named).exists());
        }
    }
}
