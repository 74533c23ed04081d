// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each library has the bytes that it had when it was chosen, from any repository: {@code deploy/libraries.sha256}.
 *
 * <p>Who changes a dependency runs this test with {@code CHARGEONCE_KEEP_LIBRARIES=yes}, looks at the lines that changed, and commits
 * the file that it writes.
 */
class LibrariesTest {

    private static final Path LIST = Repository.root().resolve("deploy/libraries.sha256");
    /** What runs tests and is no dependency. */
    private static final String RUNNERS = "(surefire|junit-platform-(console|launcher|reporting)).*";

    @TempDir
    Path directory;

    @Test
    void every_library_has_the_bytes_that_were_there_when_it_was_chosen() throws Exception {
        SortedMap<String, String> used = sums(libraries());
        if (System.getenv("CHARGEONCE_KEEP_LIBRARIES") != null) {
            Files.write(LIST, used.entrySet().stream().map(each -> each.getValue() + "  " + each.getKey()).toList());
        }
        assertThat(used).hasSizeGreaterThan(50);
        assertThat(others(used, listed())).as("libraries with other bytes than deploy/libraries.sha256 says, or not in it").isEmpty();
    }

    @Test
    void a_library_with_another_byte_is_found_and_so_is_one_that_is_not_listed() throws Exception {
        Path library = Files.writeString(directory.resolve("a-1.0.jar"), "bytes");
        SortedMap<String, String> before = sums(List.of(library));
        Files.writeString(library, "other");
        assertThat(others(sums(List.of(library)), before)).hasSize(1);
        assertThat(others(before, new TreeMap<>())).hasSize(1);
        assertThat(others(before, before)).isEmpty();
    }

    private static List<Path> libraries() {
        return Arrays.stream(System.getProperty("java.class.path").split(":")).filter(entry -> entry.endsWith(".jar")).map(Path::of)
                .filter(jar -> !jar.toString().contains("/io/chargeonce/") && !jar.toString().contains("/target/"))
                .filter(jar -> !jar.getFileName().toString().matches(RUNNERS)).toList();
    }

    private static List<String> others(SortedMap<String, String> used, SortedMap<String, String> listed) {
        return used.entrySet().stream().filter(each -> !each.getValue().equals(listed.get(each.getKey())))
                .map(each -> each.getValue() + "  " + each.getKey()).toList();
    }

    private static SortedMap<String, String> listed() throws IOException {
        return new TreeMap<>(Files.readAllLines(LIST).stream().map(line -> line.split("  ", 2)).collect(Collectors.toMap(line -> line[1],
                line -> line[0])));
    }

    private static SortedMap<String, String> sums(List<Path> jars) throws IOException, NoSuchAlgorithmException {
        var sums = new TreeMap<String, String>();
        for (Path jar : jars) {
            sums.put(jar.getFileName().toString(),
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar))));
        }
        return sums;
    }
}
