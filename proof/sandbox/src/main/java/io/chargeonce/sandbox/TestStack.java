// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * One Kafka broker and one Postgres for all tests of a JVM: embedded, or with {@code -Dstack=containers} Testcontainers', which
 * needs a Docker engine. Tests keep out of each other's way by topics and databases of their own. Any thread.
 */
public final class TestStack {
    private static final Servers SERVERS =
            "containers".equals(System.getProperty("stack")) ? new ContainerServers() : new EmbeddedServers();

    private static final Map<Consumer<String>, String> TEMPLATES = new ConcurrentHashMap<>();

    /** @param bootstrapServers what clients take by that name */
    public record Kafka(String bootstrapServers) {}

    private TestStack() {}

    public static Kafka kafka() {
        return new Kafka(SERVERS.bootstrapServers());
    }

    /** JDBC URL of a fresh, empty database, user included. */
    public static String newDatabase() {
        return PostgresDatabases.createNew(SERVERS::jdbcUrl);
    }

    /**
     * JDBC URL of a fresh database with what {@code schema} makes of an empty one, user included. That happens once for each
     * {@code schema}, and the database is copied: a copy takes a fraction of the time of all migrations.
     *
     * @param schema gets the JDBC URL of an empty database; a lambda that captures nothing is the same at each call
     */
    public static String newDatabase(Consumer<String> schema) {
        String template = TEMPLATES.computeIfAbsent(schema, make -> {
            String url = newDatabase();
            make.accept(url);
            return URI.create(url.substring("jdbc:".length())).getPath().substring(1);
        });
        return PostgresDatabases.createNew(SERVERS::jdbcUrl, template);
    }

    /** JDBC URL of a database of that name, user included. */
    public static String jdbcUrl(String database) {
        return SERVERS.jdbcUrl(database);
    }

    /** In this JVM and as its child process; taken down, with their temporary directories, when the JVM ends. */
    private static final class EmbeddedServers implements Servers {

        @Override
        public String bootstrapServers() {
            return Kafka.BROKER.bootstrapServers();
        }

        @Override
        public String jdbcUrl(String database) {
            return Postgres.SERVER.jdbcUrl(database);
        }

        // The initialisation of a nested class is lazy, happens once, and other threads wait for it.
        private static final class Kafka {
            private static final KafkaBroker BROKER = start();

            private static KafkaBroker start() {
                Path directory = Directories.temporary("kafka");
                KafkaBroker broker = KafkaBroker.start(directory, 0);
                atTheEnd("kafka", () -> {
                    broker.close();
                    Directories.remove(directory);
                });
                return broker;
            }
        }

        private static final class Postgres {
            private static final PostgresServer SERVER = start();

            private static PostgresServer start() {
                PostgresServer server = PostgresServer.startTemporary();
                atTheEnd("postgres", server::close);
                return server;
            }
        }

        private static void atTheEnd(String what, Runnable action) {
            Runtime.getRuntime().addShutdownHook(new Thread(action, "stop-" + what));
        }
    }

    /** The official images, by Testcontainers, which takes them down when the JVM has ended. As durable as the embedded ones. */
    private static final class ContainerServers implements Servers {

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
}
