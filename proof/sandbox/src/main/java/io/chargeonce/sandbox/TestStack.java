// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

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
}
