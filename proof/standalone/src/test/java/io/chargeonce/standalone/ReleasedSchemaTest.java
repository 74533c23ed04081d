// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A migration that was released is never edited, because databases have run it. The files of functions keep their names, and a version that
 * edits one also adds a migration, so that an older {@code migrate} notices that the functions are newer.
 *
 * <p>A release keeps the checksums: run this test with {@code CHARGEONCE_KEEP_STATEMENTS=1.0} and commit the file that it writes.
 */
class ReleasedSchemaTest {

    static final Path RELEASED = Repository.root().resolve("proof/standalone/src/test/released");
    private static final Path MIGRATIONS = Repository.root().resolve("pipeline-core/src/main/resources/io/chargeonce/database/migration");

    @Test
    void the_migrations_of_each_released_version_are_what_they_were() throws Exception {
        SortedMap<String, String> now = sums();
        String version = System.getenv("CHARGEONCE_KEEP_STATEMENTS");
        if (version != null) {
            Files.createDirectories(RELEASED);
            Files.write(RELEASED.resolve(version + ".sha256"), now.entrySet().stream().map(each -> each.getValue() + "  " + each.getKey())
                    .toList());
        }
        for (Path list : released(".sha256")) {
            Map<String, String> then = Files.readAllLines(list).stream().map(line -> line.split("  ", 2))
                    .collect(Collectors.toMap(line -> line[1], line -> line[0]));
            assertThat(broken(then, now)).as(list.getFileName().toString()).isEmpty();
        }
    }

    @Test
    void an_edited_migration_and_functions_that_were_lost_or_edited_without_a_new_migration_are_found() {
        var then = Map.of("V1__schema.sql", "a", "R__10_guards.sql", "b", "R__20_operations.sql", "c");
        assertThat(broken(then, then)).isEmpty();
        assertThat(broken(then, Map.of("V1__schema.sql", "other", "R__10_guards.sql", "b", "R__20_operations.sql", "c"))).singleElement()
                .asString().startsWith("V1__schema.sql");
        assertThat(broken(then, Map.of("V1__schema.sql", "a", "R__10_guards.sql", "b"))).singleElement().asString()
                .startsWith("R__20_operations.sql");
        assertThat(broken(then, Map.of("V1__schema.sql", "a", "R__10_guards.sql", "other", "R__20_operations.sql", "c"))).singleElement()
                .asString().startsWith("R__10_guards.sql");
        assertThat(broken(then, Map.of("V1__schema.sql", "a", "V2__more.sql", "d", "R__10_guards.sql", "other", "R__20_operations.sql", "c",
                "R__30_new.sql", "e"))).isEmpty();
    }

    /** The files of that kind that releases have kept. */
    static List<Path> released(String kind) throws IOException {
        if (!Files.exists(RELEASED)) {
            return List.of();
        }
        try (var files = Files.list(RELEASED)) {
            return files.filter(file -> file.toString().endsWith(kind)).sorted().toList();
        }
    }

    private static List<String> broken(Map<String, String> then, Map<String, String> now) {
        boolean hasNewVersion = now.keySet().stream().anyMatch(name -> name.startsWith("V") && !then.containsKey(name));
        return then.keySet().stream().sorted().flatMap(name -> {
            if (!now.containsKey(name)) {
                return Stream.of(name + " was released, and keeps its name");
            }
            if (now.get(name).equals(then.get(name)) || name.startsWith("R") && hasNewVersion) {
                return Stream.empty();
            }
            return Stream.of(name + (name.startsWith("V") ? " was released, and is not edited: add a migration"
                    : " was released and edited: add a migration too"));
        }).toList();
    }

    private static SortedMap<String, String> sums() throws IOException, NoSuchAlgorithmException {
        var sums = new TreeMap<String, String>();
        try (var files = Files.list(MIGRATIONS)) {
            for (Path file : files.filter(each -> each.getFileName().toString().matches("(V\\d+|R)__.*\\.sql")).toList()) {
                sums.put(file.getFileName().toString(),
                        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file))));
            }
        }
        return sums;
    }
}
