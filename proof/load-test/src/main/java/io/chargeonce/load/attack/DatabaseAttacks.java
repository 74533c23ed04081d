// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/** What the roles of Postgres can do with their own logins. Each statement is rolled back. */
final class DatabaseAttacks {

    private DatabaseAttacks() {}

    private static final String PREFIX = "chargeonce_";
    /** Not allowed; refused by a trigger, a function or a check; and what another person has to approve. */
    private static final Set<String> REFUSED = Set.of("42501", "23001", "22023", "23514", "X4EYE");
    private static final String CLASS_INVALID_AUTHORIZATION = "28";

    private static final String STAGE = "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES ";

    private static final List<String> BY_EVERYONE = List.of(
            STAGE + "(0, 'payments.requests', 'k', 'x', '\"a\"')", STAGE + "(0, 'payments.requests', 'k', 'x', '[1, 2, 3]')",
            STAGE + "(0, 'payments.requests', 'k', 'x', '{\"a\": {}}')", STAGE + "(9, 'payments.requests', 'k', 'x', '{}')",
            STAGE + "(0, 'pay ments.requests', 'k', 'x', '{}')",
            STAGE + "(0, 'payments.requests', 'k', convert_to(repeat('x', 5000000), 'UTF8'), '{}')",
            "SELECT append_audit('{acme}', '{merchant:acme}', '{payment.accepted}', '{operation}', '{pay_x}', ARRAY[repeat('x', 5000)], "
                    + "'{NULL}', '{NULL}')",
            "UPDATE operation SET amount = amount + 1", "DELETE FROM operation", "DELETE FROM operation_state",
            "DELETE FROM payment_attempt",
            "DELETE FROM audit_record", "UPDATE audit_record SET actor = 'another'", "TRUNCATE audit_record", "DELETE FROM audit_seal",
            "DROP INDEX one_open_attempt", "ALTER TABLE operation DISABLE TRIGGER ALL", "CREATE TABLE mine (x int)", "SET ROLE postgres",
            "SET session_replication_role = replica", "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')",
            "SELECT append_audit('{acme}', '{alice}', '{dlq.merged.by.another}', '{operation}', '{pay_x}', '{NULL}', '{NULL}', '{NULL}')",
            "ALTER ROLE postgres PASSWORD 'mine'", "ALTER ROLE CURRENT_USER CONNECTION LIMIT 0",
            "ALTER ROLE CURRENT_USER VALID UNTIL '2020-01-01'",
            "UPDATE merchant_token SET merchant_id = 'mine'", "UPDATE agreed SET retention_days = 45");

    private static final List<String> BY_SERVICES = List.of("SELECT token_sha256 FROM merchant_token",
            "UPDATE merchant_token SET revoked_at = NULL",
            "INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('mine'), 'acme')");

    private static final List<String> BY_INGEST = List.of("SELECT receipt_email FROM operation",
            "SELECT customer, payment_method FROM operation_now", STAGE + "(0, 'payments.requests', 'k', '{}', '{}')",
            "SELECT operation_id FROM operation_state", "SELECT request_params FROM idempotency_key",
            "SELECT payment_id FROM duplicate_guard",
            "SELECT idempotency_key FROM idempotency_key", "SELECT request FROM payment_attempt", "SELECT sealed_record FROM dead_letter",
            "SELECT actor FROM audit_record", "SELECT * FROM operation_of('acme', NULL)", "SELECT * FROM keys_taken(NULL, NULL)",
            "UPDATE operation_state SET state = 'succeeded'", "DELETE FROM idempotency_key");

    private static final List<String> BY_THOSE_WHO_CHARGE = List.of("SELECT request_params FROM idempotency_key",
            "SELECT sealed_record FROM dead_letter",
            "UPDATE dead_letter SET amount = 1", "UPDATE hand_settlement SET evidence = 'y'");

    private static final List<String> BY_PEOPLE = List.of(STAGE + "(0, 'payments.outcomes', 'k', '{}', '{}')",
            STAGE + "(0, 'payments.requests', 'k', '{}', '{}')", STAGE + "(0, 'payments.requests', 'k', NULL, NULL)",
            STAGE + "(0, 'payments.dlq', 'k', '{}', '{}')",
            STAGE + "(0, 'payments.dlq', 'k', NULL, '{}')", STAGE + "(0, 'payments.retry-1', 'k', '{}', '{}')",
            "SELECT FROM relay_shard FOR UPDATE", "LOCK TABLE relay_shard", "LOCK TABLE audit_seal IN ROW EXCLUSIVE MODE",
            "SELECT seals_alone()",
            "UPDATE payment_attempt SET failed_definite = true",
            "INSERT INTO operation SELECT * FROM operation",
            "SELECT request_params FROM idempotency_key",
            "INSERT INTO psp_observation (psp_key, source, outcome) VALUES ('k', 'hand', 'charged')");

    private static final List<String> BY_THE_ADMIN = List.of("SELECT receipt_email FROM operation",
            "UPDATE merchant_token SET token_sha256 = sha256('mine')",
            "SELECT actor FROM audit_record");

    static final List<Attack> ALL = List.of(
            theft("ingest", BY_SERVICES, BY_INGEST), theft("charge", BY_SERVICES, BY_THOSE_WHO_CHARGE), theft("retry", BY_SERVICES,
                    BY_THOSE_WHO_CHARGE),
            theft("dlq_reader", BY_SERVICES, BY_PEOPLE), theft("dlq_operator", BY_SERVICES, BY_PEOPLE), theft("merchant_admin",
                    BY_THE_ADMIN, List.of()));

    private static Attack theft(String role, List<String> also, List<String> besides) {
        List<String> all = Stream.of(BY_EVERYONE, also, besides).flatMap(List::stream).toList();
        return Attack.plain("stolen-" + role.replace('_', '-'), "%d thefts with the login of %s%s".formatted(all.size(), PREFIX, role),
                siege -> steal(siege.target, PREFIX + role, all));
    }

    /** Not tried where Postgres does not let the login in: then there is nothing to say about its rights. */
    static Result steal(AttackTarget target, String role, List<String> thefts) throws SQLException {
        if (target.database().isEmpty() || !target.logins().containsKey(role)) {
            return new Result.NotTried("--database URL --login " + role + "=PASSWORD_FILE");
        }
        var stolen = new ArrayList<String>();
        try (Connection connection = login(target, role); Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = chargeonce");
            statement.execute("SET statement_timeout = '5s'");
            statement.execute("SET lock_timeout = '1s'");
            connection.commit();
            for (String theft : thefts) {
                if (isStolen(statement, theft)) {
                    stolen.add(theft);
                }
                connection.rollback();
            }
        } catch (SQLException e) {
            if (isNoLogin(e)) {
                return new Result.NotTried(
                        "a login that Postgres lets in (%s); 'chargeonce migrate --roles' makes the roles".formatted(e.getMessage()));
            }
            throw e;
        }
        return AttackSession.judge(stolen.isEmpty(), stolen.isEmpty() ? thefts.size() + " refused"
                : "%d of %d passed: %s".formatted(stolen.size(), thefts.size(), stolen.getFirst()));
    }

    static boolean isNoLogin(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith(CLASS_INVALID_AUTHORIZATION);
    }

    /** A look that shows no row has stolen nothing. */
    private static boolean isStolen(Statement statement, String theft) throws SQLException {
        try {
            if (!statement.execute(theft)) {
                return true;
            }
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next();
            }
        } catch (SQLException refused) {
            if (!REFUSED.contains(refused.getSQLState())) {
                throw new SQLException("%s: %s".formatted(theft, refused.getMessage()), refused.getSQLState(), refused);
            }
            return false;
        }
    }

    static Connection login(AttackTarget target, String role) throws SQLException {
        var properties = new Properties();
        properties.setProperty("password", target.logins().get(role));
        properties.setProperty("connectTimeout", "5");
        // What the address says outranks what is said beside it.
        String url = target.database().orElseThrow().replaceAll("(?<=[?&])(user|password)=[^&]*&?", "").replaceAll("[?&]$", "");
        Connection connection = DriverManager.getConnection(url + (url.contains("?") ? "&" : "?") + "user=" + role, properties);
        connection.setAutoCommit(false);
        return connection;
    }
}
