// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Build;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A process says which version it is, and of which commit. */
class BuildTest {

    /** A module's tests run in its folder. */
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @TempDir
    Path directory;

    @Test
    void version_and_commit_are_those_of_the_sources() throws Exception {
        var version = Pattern.compile("\n  <version>(.+)</version>").matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(Build.CURRENT.version()).isEqualTo(version.group(1));
        assertThat(Build.CURRENT.commit()).matches(Files.exists(ROOT.resolve(".git")) ? "[0-9a-f]{7,40}" : "unknown");
    }

    @Test
    void the_command_line_says_it() {
        var said = new StringWriter();
        Main.commandLine("--version").setOut(new PrintWriter(said)).execute("--version");
        assertThat(said.toString().strip()).isEqualTo(Build.CURRENT.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ingest", "charge", "retry"})
    void a_service_says_it_in_its_first_log_line_and_its_metrics_and_an_alert_knows_that_name(String service)
            throws Exception {
        int admin = ServiceProcess.freePort();
        Process process = ServiceProcess.start(service, admin, directory);
        try (var output = process.inputReader()) {
            assertThat(new JsonMapper().readTree(output.readLine()).get("message").asString())
                    .startsWith(Build.CURRENT + " starts as " + service);
            Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions()
                    .untilAsserted(() -> assertThat(metrics(admin)).containsPattern(
                            "chargeonce_build_info\\{commit=\"%s\",service=\"%s[a-z-]*\",version=\"%s\"} 1".formatted(
                                    Build.CURRENT.commit(), service, Pattern.quote(Build.CURRENT.version()))));
            var name = Pattern.compile("service=\"(%s[a-z-]*)\"".formatted(service)).matcher(metrics(admin));
            assertThat(name.find()).isTrue();
            assertThat(Files.readString(ROOT.resolve("deploy/monitoring/alerts.yaml")))
                    .contains("absent(chargeonce_build_info{service=\"" + name.group(1) + "\"})");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static String metrics(int port) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }
}
