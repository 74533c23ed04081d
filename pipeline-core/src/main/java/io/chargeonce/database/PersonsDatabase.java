// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A database that people sign in to, each with their own login. A user or password in the URL would win over the person's, so it is taken
 * out.
 *
 * @param url without a user and a password
 */
public record PersonsDatabase(String url) {

    /** How a sign-in ended. */
    public sealed interface SignIn<T> {

        /** @param read what was read as this person */
        record LetIn<T>(T read) implements SignIn<T> {}

        /** There is no such login, or this is not its password. */
        record Refused<T>() implements SignIn<T> {}

        /** Postgres let it in and did not ask for the password: pg_hba.conf trusts the console's machine. Any password would do. */
        record Unchecked<T>() implements SignIn<T> {}
    }

    private static final String SEARCH_PATH = "SET search_path = chargeonce";
    /** Codes: PostgreSQL, appendix A. */
    private static final String CLASS_INVALID_AUTHORIZATION = "28";

    public static PersonsDatabase at(String url) {
        int parameters = url.indexOf('?');
        if (parameters < 0) {
            return new PersonsDatabase(url);
        }
        String kept = Arrays.stream(url.substring(parameters + 1).split("&")).filter(one -> !one.matches("(?i)(user|password)=.*"))
                .collect(Collectors.joining("&"));
        return new PersonsDatabase(url.substring(0, parameters) + (kept.isEmpty() ? "" : "?" + kept));
    }

    /**
     * Opens without connecting. No connection stays open for long when the person does nothing.
     *
     * @param connections the largest size of the pool
     */
    public Database open(String login, String password, int connections) {
        return Database.openForPerson(url, login, password, connections);
    }

    /** @throws DatabaseUnavailable if Postgres cannot be reached */
    public <T> SignIn<T> signIn(String login, String password, Database.Work<T> read) {
        var properties = DriverProperties.with(login, password);
        properties.remove("password");
        properties.setProperty("authenticationPluginClassName", AskedForPassword.class.getName());
        AskedForPassword.begin(password.toCharArray());
        try (var connection = DriverManager.getConnection(url, properties)) {
            if (!AskedForPassword.end()) {
                return new SignIn.Unchecked<>();
            }
            try (var statement = connection.createStatement()) {
                statement.execute(SEARCH_PATH);
            }
            return new SignIn.LetIn<>(read.with(connection));
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith(CLASS_INVALID_AUTHORIZATION)) {
                return new SignIn.Refused<>();
            }
            throw new DatabaseUnavailable(e);
        } finally {
            AskedForPassword.end();
        }
    }
}
