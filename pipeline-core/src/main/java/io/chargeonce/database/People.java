// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.postgresql.util.PasswordUtil;

/**
 * The logins of people. Each is a member of one of the roles for people, so that the audit log names the person. How a person authenticates
 * (password, certificate, single sign-on) is set in Postgres's pg_hba.conf.
 */
public final class People {

    private People() {}

    private static final String ADD = "SELECT add_person(?, ?)";

    /**
     * Creates the login if there is none, and makes it a member of the role. Idempotent.
     *
     * @param newPassword empty leaves the password as it is; a new login has none then
     * @throws DatabaseRefused also for a service's name, or a name that no login can have
     */
    public static void add(String url, String user, String password, String login, String role, Optional<char[]> newPassword) {
        asOwner(url, user, password, connection -> {
            Sql.call(connection, ADD, login, role);
            if (newPassword.isPresent()) {
                try (var statement = connection.createStatement()) {
                    // The client computes the hash, so that a server that logs statements never logs a password.
                    statement.execute(PasswordUtil.genAlterUserPasswordSQL(login, newPassword.get(), "scram-sha-256"));
                }
            }
        });
    }

    private static final String REMOVE = "SELECT remove_person(?)";

    /** Revokes the membership; the login itself stays. Idempotent. */
    public static void remove(String url, String user, String password, String login) {
        asOwner(url, user, password, connection -> Sql.call(connection, REMOVE, login));
    }

    /** Sets the limits of what one person may do alone; see four_eyes in the schema. */
    public static void limit(String url, String user, String password, Map<String, Long> limits) {
        asOwner(url, user, password, connection -> Sql.call(connection, LIMIT, limits.keySet(),
                connection.createArrayOf("int8", limits.values().toArray())));
    }

    private static final String LIMIT = "SELECT limit_what_one_does_alone(?, ?)";

    /** A line for each right that differs from what {@link Roles#apply} left. */
    public static List<String> driftedGrants(String url, String user, String password) {
        var lines = new ArrayList<String>();
        asOwner(url, user, password, connection -> lines.addAll(DriftedGrants.read(connection)));
        return lines;
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private static void asOwner(String url, String user, String password, Work work) {
        try (Connection connection = DriverManager.getConnection(url, DriverProperties.with(user, password))) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("SET LOCAL search_path = chargeonce");
            }
            work.on(connection);
            connection.commit();
        } catch (SQLException e) {
            throw Database.isOutage(e) ? new DatabaseUnavailable(e) : new DatabaseRefused(e);
        }
    }

    private static final String LOGINS = "SELECT DISTINCT login FROM person";

    static List<String> logins(Connection connection) throws SQLException {
        return Sql.all(connection, LOGINS, row -> row.getString(1));
    }
}
