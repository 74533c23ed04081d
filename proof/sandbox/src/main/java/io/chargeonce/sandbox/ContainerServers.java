// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.util.ArrayList;
import java.util.List;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** The official images, by Testcontainers, which takes them down when the JVM has ended. As durable as the embedded ones. */
final class ContainerServers implements Servers {

    static final String KAFKA_IMAGE = "apache/kafka:4.3.1";
    static final String POSTGRES_IMAGE = "postgres:18";

    @Override
    public String bootstrapServers() {
        return Kafka.BROKER.getBootstrapServers();
    }

    @Override
    public String jdbcUrl(String database) {
        return url(Postgres.SERVER, database);
    }

    private static final class Kafka {
        private static final KafkaContainer BROKER = start();

        private static KafkaContainer start() {
            // Testcontainers copies a script into the waiting container. On a busy machine the script starts before the copy is closed.
            var broker = new KafkaContainer(KAFKA_IMAGE).withStartupAttempts(3);
            KafkaSettings.forTests().forEach((name, value) -> broker
                    .addEnv("KAFKA_" + name.toString().toUpperCase(java.util.Locale.ROOT).replace('.', '_'), value.toString()));
            broker.start();
            return broker;
        }
    }

    private static final class Postgres {
        private static final PostgreSQLContainer SERVER = start();

        private static PostgreSQLContainer start() {
            var server = new PostgreSQLContainer(POSTGRES_IMAGE).withUsername("postgres").withEnv("POSTGRES_HOST_AUTH_METHOD", "trust");
            // Testcontainers' own command turns fsync off.
            List<String> command = new ArrayList<>(List.of("postgres"));
            PostgresSettings.DURABLE_AND_SMALL.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
            server.setCommand(command.toArray(String[]::new));
            server.start();
            PostgresDatabases.requireDurable(url(server, "postgres"));
            return server;
        }

    }

    private static String url(PostgreSQLContainer postgres, String database) {
        return "jdbc:postgresql://%s:%d/%s?user=postgres".formatted(postgres.getHost(), postgres.getFirstMappedPort(), database);
    }
}
