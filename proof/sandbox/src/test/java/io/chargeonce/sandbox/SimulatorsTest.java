// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** As the image {@code chargeonce-simulators} runs them: in a JVM of their own, with the jars that {@code deploy/docker/build} takes. */
class SimulatorsTest {

    /** This module's classes, or its jar. */
    private static final String OURS = ".*/sandbox(/target/classes|-[^/]*\\.jar)";
    private static final String LIBRARIES = ".*/(tools/jackson/core/jackson-(core|databind)|jackson-annotations|slf4j-api)/.*";
    private static final Pattern PORTS = Pattern.compile("Stripe's simulator listens on port (\\d+), Adyen's on port (\\d+)");

    private static Process started(Map<String, String> environment) throws Exception {
        String path = Arrays.stream(System.getProperty("java.class.path").split(":"))
                .filter(entry -> entry.matches(OURS) || entry.matches(LIBRARIES)).collect(Collectors.joining(":"));
        var builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-cp", path, Simulators.class.getName(), "0", "0").redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static String get(String host, String port, String path) throws Exception {
        URI address = URI.create("http://" + host + ":" + port + path);
        try (var http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
        }
    }

    /** An address of this machine that is not of its loopback, where it has one. */
    private static Stream<String> outside() throws Exception {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof java.net.Inet4Address && !address.isLoopbackAddress())
                .map(address -> address.getHostAddress()).limit(1);
    }

    @Test
    void both_answer_at_every_address_of_the_machine() throws Exception {
        Process process = started(Map.of());
        try (BufferedReader lines = process.inputReader()) {
            String said = lines.lines().filter(line -> PORTS.matcher(line).find()).findFirst().orElse("");
            var ports = PORTS.matcher(said);
            assertThat(ports.find()).as("it did not start").isTrue();
            for (String host : Stream.concat(Stream.of("127.0.0.1"), outside()).toList()) {
                assertThat(get(host, ports.group(1), "/_sandbox")).contains("/_sandbox/rules", "confirm");
                assertThat(get(host, ports.group(2), "/_sandbox/counts")).contains("captures");
            }
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    @Test
    void webhooks_without_what_signs_them_are_refused_at_the_start() throws Exception {
        Process process = started(Map.of("ADYEN_WEBHOOK_URL", "http://127.0.0.1:1/hooks"));
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.lines().collect(Collectors.joining("\n"))).contains("ADYEN_WEBHOOK_URL is set, but ADYEN_HMAC_KEY is not");
        } finally {
            process.destroy();
            process.waitFor();
        }
    }
}
