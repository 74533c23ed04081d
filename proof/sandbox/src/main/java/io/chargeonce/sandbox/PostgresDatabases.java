// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** What the sandbox asks of a running Postgres through its maintenance database. Any thread. */
final class PostgresDatabases {
    private static final AtomicInteger CREATED = new AtomicInteger();

    private PostgresDatabases() {}

    /** Throws {@link IllegalStateException} if the server would answer a commit that is not on disk. */
    static void requireDurable(String maintenanceUrl) {
        try (Connection connection = DriverManager.getConnection(maintenanceUrl)) {
            for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
                String value = show(connection, setting);
                if (!value.equals("on")) {
                    throw new IllegalStateException("Postgres runs with " + setting + "=" + value
                            + ", so a commit could be lost; set it to on and start again");
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Postgres does not answer at " + maintenanceUrl + ": " + e.getMessage(), e);
        }
    }

    private static String show(Connection connection, String setting) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SHOW " + setting)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** A database of a new name, by its JDBC URL; {@code urls} makes one of a name. */
    static String createNew(UnaryOperator<String> urls) {
        return createNew(urls, "template1");
    }

    /** The same as {@link #createNew(UnaryOperator)}, with all that the template has, which nothing may be connected to. */
    static String createNew(UnaryOperator<String> urls, String template) {
        String name = "test_" + ProcessHandle.current().pid() + "_" + CREATED.incrementAndGet();
        create(urls.apply("postgres"), name, template);
        return urls.apply(name);
    }

    static void createIfMissing(String maintenanceUrl, String name) {
        if (!exists(maintenanceUrl, name)) {
            create(maintenanceUrl, name, "template1");
        }
    }

    private static final String EXISTS = "SELECT 1 FROM pg_database WHERE datname = ?";

    private static boolean exists(String maintenanceUrl, String name) {
        try (Connection connection = DriverManager.getConnection(maintenanceUrl);
             PreparedStatement statement = connection.prepareStatement(EXISTS)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot look for database " + name + ": " + e.getMessage(), e);
        }
    }

    private static void create(String maintenanceUrl, String name, String template) {
        try (Connection connection = DriverManager.getConnection(maintenanceUrl);
             Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE \"" + name + "\" TEMPLATE \"" + template + "\"");
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create database " + name + ": " + e.getMessage(), e);
        }
    }
}
