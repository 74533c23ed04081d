// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

/**
 * One Kafka broker and one Postgres for all tests of a JVM: embedded, or with {@code -Dstack=containers} Testcontainers', which
 * needs a Docker engine. Tests keep out of each other's way by topics and databases of their own. Any thread.
 */
public final class TestStack {
    private static final Servers SERVERS =
            "containers".equals(System.getProperty("stack")) ? new ContainerServers() : new EmbeddedServers();

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

    /** JDBC URL of a database of that name, user included. */
    public static String jdbcUrl(String database) {
        return SERVERS.jdbcUrl(database);
    }
}
