// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.nio.file.Path;

/** In this JVM and as its child process; taken down, with their temporary directories, when the JVM ends. */
final class EmbeddedServers implements Servers {

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
