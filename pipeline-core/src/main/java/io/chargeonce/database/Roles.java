// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.postgresql.util.PasswordUtil;

/** One Postgres role per service, with the least rights. Idempotent: it grants what is missing and revokes what is too much. */
public final class Roles {

    public static final List<String> ALL = List.of("chargeonce_ingest", "chargeonce_charge", "chargeonce_retry",
            "chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_eraser", "chargeonce_merchant_admin",
            "chargeonce_webhooks", "chargeonce_receipts", "chargeonce_reconciler", "chargeonce_bank_files");

    /** Shared by all who work on the dead-letter queue without a login of their own. */
    public static final String OPERATOR = "chargeonce_dlq_operator";
    /** Shared by all who read unmasked data without a login of their own. */
    public static final String UNMASK = "chargeonce_dlq_unmask";
    /** Shared by all who erase personal data without a login of their own. */
    public static final String ERASER = "chargeonce_eraser";
    /** Shared by all who manage merchants without a login of their own. */
    public static final String MERCHANT_ADMIN = "chargeonce_merchant_admin";

    /**
     * What was done.
     *
     * @param withPassword the roles whose password was set
     * @param tookBack     a line for each unintended right that was revoked from a role or from PUBLIC
     * @param left         a line for each unintended right that this user may not revoke
     */
    public record Applied(List<String> withPassword, List<String> tookBack, List<String> left) {}

    private Roles() {}

    private static final String DECLARE_INTENDED = "SELECT these_grants_are_intended(?)";

    /**
     * @param passwords a directory with one file per role, named like the role, with its password; a role without a file keeps its
     * password, and a new one has none
     * @throws DatabaseUnavailable when Postgres cannot be reached
     */
    public static Applied apply(String url, String user, String password, Optional<Path> passwords) {
        try (Connection connection = DriverManager.getConnection(url, DriverProperties.with(user, password))) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL search_path = chargeonce");
                List<String> granted = new ArrayList<>(ALL);
                granted.addAll(People.logins(connection));
                Grants before = Grants.read(connection, granted);
                statement.execute(rights());
                RolePrivileges.TakenBack powers = RolePrivileges.takeBack(connection, ALL);
                var tookBack = new ArrayList<>(before.goneIn(Grants.read(connection, granted)));
                tookBack.addAll(powers.gone());
                List<String> set = passwords.isEmpty() ? List.of() : setPasswords(statement, passwords.get());
                Sql.call(connection, DECLARE_INTENDED, set);
                connection.commit();
                return new Applied(set, tookBack, powers.left());
            }
        } catch (SQLException e) {
            throw Database.isOutage(e) ? new DatabaseUnavailable(e) : new DatabaseRefused(e);
        }
    }

    /** The client computes the hash, so that a server that logs statements never logs a password. */
    private static List<String> setPasswords(Statement statement, Path directory) throws SQLException {
        List<String> given = ALL.stream().filter(role -> Files.exists(directory.resolve(role))).toList();
        for (String role : given) {
            statement.execute(PasswordUtil.genAlterUserPasswordSQL(role, secret(directory.resolve(role)), "scram-sha-256"));
        }
        return given;
    }

    /** A password from its file, without the line break at the end. */
    public static char[] secret(Path file) {
        try {
            return TextFile.read(file).strip().toCharArray();
        } catch (IOException e) {
            throw new UncheckedIOException("The password file " + file + " can't be read", e);
        }
    }

    private static String rights() {
        try (InputStream sql = Roles.class.getResourceAsStream("roles.sql")) {
            return new String(sql.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Bug! roles.sql is not in the jar", e);
        }
    }
}
