// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.cap.ConnectionCap;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.postgresql.plugin.AuthenticationPlugin;
import org.postgresql.plugin.AuthenticationRequestType;

/**
 * A database that people sign in to, each with their own login. A user or password in the URL would win over the person's, so it is taken
 * out.
 *
 * @param url without a user and a password
 * @param cap the most connections of all people together, also those of a sign-in
 */
public record PersonsDatabase(String url, ConnectionCap cap) {

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

    /** @param most connections of all people together */
    public static PersonsDatabase at(String url, int most) {
        var cap = new ConnectionCap(most);
        int parameters = url.indexOf('?');
        if (parameters < 0) {
            return new PersonsDatabase(url, cap);
        }
        String kept = Arrays.stream(url.substring(parameters + 1).split("&")).filter(one -> !one.matches("(?i)(user|password)=.*"))
                .collect(Collectors.joining("&"));
        return new PersonsDatabase(url.substring(0, parameters) + (kept.isEmpty() ? "" : "?" + kept), cap);
    }

    /**
     * Opens without connecting. No connection stays open for long when the person does nothing.
     *
     * @param connections the largest size of the pool
     */
    public Database open(String login, String password, int connections) {
        return Database.openForPerson(url, login, password, connections, cap);
    }

    /** @throws DatabaseUnavailable if Postgres cannot be reached */
    public <T> SignIn<T> signIn(String login, String password, Database.Work<T> read) {
        var properties = DriverProperties.with(login, password);
        properties.remove("password");
        properties.setProperty("authenticationPluginClassName", AskedForPassword.class.getName());
        AskedForPassword.begin(password.toCharArray());
        try (var connection = cap.connect(url, properties)) {
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

    /**
     * Notices whether Postgres asked for the password. Where pg_hba.conf says trust, it asks for none, and any token would be right. The
     * driver makes one object per connection and does not say which, so the answer is kept with the thread that connects.
     */
    public static final class AskedForPassword implements AuthenticationPlugin {

        private static final ThreadLocal<char[]> PASSWORD = new ThreadLocal<>();
        private static final ThreadLocal<Boolean> ASKED = ThreadLocal.withInitial(() -> false);

        /** Created by the driver, by its name. */
        public AskedForPassword() {}

        static void begin(char[] password) {
            PASSWORD.set(password);
            ASKED.set(false);
        }

        /** Whether Postgres asked this thread since {@link #begin}. */
        static boolean end() {
            boolean asked = ASKED.get();
            PASSWORD.remove();
            ASKED.remove();
            return asked;
        }

        @Override
        public char[] getPassword(AuthenticationRequestType type) {
            ASKED.set(true);
            char[] password = PASSWORD.get();
            // The driver wipes what it gets.
            return password == null ? null : password.clone();
        }
    }
}
