package io.chargeonce.sandbox;

import java.nio.file.Path;

/**
 * One Kafka broker and one Postgres for all tests of a JVM, each started when it is first asked for and taken down, with its
 * temporary directory, when the JVM ends. Tests keep out of each other's way by topics and databases of their own. Any thread.
 */
public final class TestStack {
    private TestStack() {}

    public static KafkaBroker kafka() {
        return Kafka.BROKER;
    }

    public static PostgresServer postgres() {
        return Postgres.SERVER;
    }

    /** JDBC URL of a fresh, empty database, user included. */
    public static String newDatabase() {
        return postgres().newDatabase();
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
