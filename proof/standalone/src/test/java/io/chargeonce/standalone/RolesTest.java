// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DriftedGrants;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.People;
import io.chargeonce.database.Roles;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The roles may do exactly what docs/roles.md says, and {@code migrate --roles} makes it so again. */
class RolesTest {

    private static final String PREFIX = "chargeonce_";
    private static String url;
    private static Connection owner;

    @BeforeAll
    static void migrate() throws SQLException {
        url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        owner = DriverManager.getConnection(url + "&currentSchema=chargeonce");
    }

    @AfterAll
    static void close() throws SQLException {
        owner.close();
    }

    @BeforeEach
    void restore() {
        Roles.apply(url, "postgres", "", Optional.empty());
    }

    /** {@code all} columns is a right to the table, also to columns that come later; none stands where there is no column. */
    private record Right(String role, String privilege, String on, String column) implements Comparable<Right> {

        @Override
        public int compareTo(Right other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return "%s: %s on %s (%s)".formatted(role, privilege, on, column);
        }
    }

    private static final String IN_CATALOG = """
            WITH role AS (
                SELECT rolname FROM pg_roles WHERE rolname = ANY (?)
            ), one AS (
                SELECT oid, regexp_replace(relname, '^audit_record_to_[0-9]+$', 'audit_record_to_…') AS relname
                  FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
            ), of_table AS (
                SELECT rolname, privilege, oid, relname FROM role, one, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', \
            'REFERENCES',
                       'TRIGGER'] || CASE WHEN current_setting('server_version_num')::int >= 170000 THEN '{MAINTAIN}' ELSE '{}'::text[] \
            END) AS privilege
                 WHERE has_table_privilege(rolname, oid, privilege)
            )
            SELECT rolname, privilege, relname, 'all' FROM of_table
             UNION ALL
            SELECT rolname, privilege, relname, attname
              FROM role, one JOIN pg_attribute ON attrelid = one.oid AND attnum > 0 AND NOT attisdropped,
                   unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS privilege
             WHERE has_column_privilege(rolname, one.oid, attnum, privilege) AND NOT has_table_privilege(rolname, one.oid, privilege)
             UNION ALL
            SELECT rolname, privilege, relname, 'all'
              FROM role, pg_class, unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) AS privilege
             WHERE relnamespace = 'chargeonce'::regnamespace AND relkind = 'S' AND has_sequence_privilege(rolname, pg_class.oid, privilege)
             UNION ALL
            SELECT rolname, 'EXECUTE', proname || '()', 'all'
              FROM role, pg_proc WHERE pronamespace = 'chargeonce'::regnamespace AND has_function_privilege(rolname, oid, 'EXECUTE')
             UNION ALL
            SELECT rolname, privilege, 'schema chargeonce', 'all'
              FROM role, unnest(ARRAY['USAGE', 'CREATE']) AS privilege WHERE has_schema_privilege(rolname, 'chargeonce', privilege)
             UNION ALL
            SELECT rolname, 'CREATE', 'database', 'all' FROM role WHERE has_database_privilege(rolname, current_database(), 'CREATE')
            """;

    private static Set<Right> inCatalog() throws SQLException {
        var rights = new TreeSet<Right>();
        try (var statement = owner.prepareStatement(IN_CATALOG)) {
            statement.setArray(1, owner.createArrayOf("text", Roles.ALL.toArray()));
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    rights.add(
                            new Right(row.getString(1).substring(PREFIX.length()), row.getString(2), row.getString(3), row.getString(4)));
                }
            }
        }
        return rights;
    }

    private static List<List<String>> table() throws IOException {
        return Files.readString(Repository.root().resolve("docs/roles.md")).lines().filter(line -> line.startsWith("| `"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|")).map(cell -> cell.replace("`", "").strip()).toList()).toList();
    }

    private static Set<Right> written() throws IOException {
        var rights = new TreeSet<Right>();
        for (List<String> row : table()) {
            if (!row.get(1).equals("nothing")) {
                for (String role : row.get(3).split(", ")) {
                    for (String column : row.get(2).split(", ")) {
                        rights.add(new Right(role, row.get(1), row.get(0), column));
                    }
                }
            }
        }
        return rights;
    }

    @Test
    void each_role_may_do_what_is_written_and_nothing_else() throws Exception {
        assertThat(inCatalog()).containsExactlyInAnyOrderElementsOf(written());
    }

    @Test
    void every_table_view_sequence_and_function_is_written_there() throws Exception {
        Set<String> there = new TreeSet<>(Texts.of(owner, """
                SELECT regexp_replace(relname, '^audit_record_to_[0-9]+$', 'audit_record_to_…')
                  FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
                 UNION SELECT proname || '()' FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace
                 UNION VALUES ('schema chargeonce'), ('database')"""));
        assertThat(table().stream().map(List::getFirst).collect(Collectors.toSet())).isEqualTo(there);
    }

    @Test
    void the_rules_on_what_enters_kafka_and_on_whose_keys_are_seen_are_in_force() throws SQLException {
        assertThat(Texts.of(owner, "SELECT relname FROM pg_class WHERE relrowsecurity ORDER BY 1")).containsExactly("idempotency_key",
                "outbox");
        assertThat(Texts.of(owner, "SELECT tablename || ' ' || cmd || ' ' || policyname FROM pg_policies ORDER BY 1")).containsExactly(
                "idempotency_key INSERT new_keys", "idempotency_key SELECT what_was_inserted_just_now", "outbox DELETE relays_delete",
                "outbox INSERT each_tells_what_it_decides", "outbox SELECT readers", "outbox UPDATE relays_set_aside");
    }

    @Test
    void a_second_run_has_nothing_to_take_back() {
        assertThat(Roles.apply(url, "postgres", "", Optional.empty())).isEqualTo(new Roles.Applied(List.of(), List.of(), List.of()));
    }

    @Test
    void a_run_on_a_new_schema_has_nothing_to_take_back() {
        String fresh = TestStack.newDatabase();
        Migrations.apply(fresh, "postgres", "");
        assertThat(Roles.apply(fresh, "postgres", "", Optional.empty()).tookBack()).isEmpty();
    }

    @Test
    void what_was_granted_by_hand_is_taken_back_and_told() throws Exception {
        execute("GRANT UPDATE, DELETE ON operation TO chargeonce_ingest",
                "GRANT SELECT (token_sha256, created_at) ON merchant_token TO chargeonce_charge",
                "GRANT INSERT ON payment_attempt TO PUBLIC",
                "GRANT DELETE ON audit_record_to_99999999 TO chargeonce_charge",
                "GRANT SELECT ON dead_letter TO chargeonce_charge WITH GRANT OPTION",
                "GRANT EXECUTE ON FUNCTION lock_payment(text) TO chargeonce_retry",
                "GRANT EXECUTE ON FUNCTION take_back_keys(text[], text[]) TO PUBLIC",
                "GRANT USAGE ON SEQUENCE outbox_outbox_id_seq TO chargeonce_retry",
                "GRANT CREATE ON SCHEMA chargeonce TO chargeonce_dlq_reader",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA chargeonce GRANT SELECT ON TABLES TO chargeonce_ingest, PUBLIC",
                "ALTER DEFAULT PRIVILEGES GRANT UPDATE ON TABLES TO chargeonce_ingest",
                "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO chargeonce_retry', current_database()); END $$",
                "REVOKE SELECT ON operation FROM chargeonce_charge");
        assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack()).containsExactlyInAnyOrder(
                "EXECUTE on function take_back_keys from PUBLIC",
                "SELECT on all that is made in the schema from PUBLIC",
                "DELETE on audit_record_to_99999999 from chargeonce_charge",
                "INSERT on payment_attempt from PUBLIC",
                "SELECT and the right to grant it on dead_letter from chargeonce_charge",
                "SELECT (created_at, token_sha256) on merchant_token from chargeonce_charge",
                "CREATE on schema chargeonce from chargeonce_dlq_reader",
                "UPDATE on all that is made anywhere from chargeonce_ingest",
                "SELECT on all that is made in the schema from chargeonce_ingest",
                "DELETE on operation from chargeonce_ingest",
                "UPDATE on operation from chargeonce_ingest",
                "EXECUTE on function lock_payment from chargeonce_retry",
                "USAGE on outbox_outbox_id_seq from chargeonce_retry",
                "CREATE on the database from chargeonce_retry");
        assertThat(inCatalog()).isEqualTo(written());
        execute("CREATE TABLE made_later ()");
        try {
            assertThat(Texts.of(owner,
                    "SELECT rolname FROM pg_roles WHERE starts_with(rolname, 'chargeonce_') AND has_table_privilege(rolname, "
                            + "'made_later', 'SELECT, UPDATE')"))
                    .isEmpty();
        } finally {
            execute("DROP TABLE made_later");
        }
    }

    @Test
    void memberships_and_attributes_are_taken_back_and_told() throws SQLException {
        execute("CREATE ROLE thief", "GRANT chargeonce_charge TO thief", "GRANT pg_read_all_data TO chargeonce_dlq_reader",
                "GRANT chargeonce_charge TO chargeonce_ingest WITH ADMIN OPTION",
                "GRANT SET ON PARAMETER session_replication_role TO chargeonce_charge",
                "ALTER ROLE chargeonce_ingest CREATEDB", "ALTER ROLE chargeonce_charge SET synchronous_commit = off",
                "ALTER ROLE chargeonce_charge BYPASSRLS REPLICATION", "ALTER ROLE chargeonce_retry SUPERUSER CREATEROLE");
        try {
            Roles.Applied applied = Roles.apply(url, "postgres", "", Optional.empty());
            assertThat(applied.left()).isEmpty();
            assertThat(applied.tookBack()).containsExactlyInAnyOrder("membership in chargeonce_charge from thief",
                    "membership in pg_read_all_data from chargeonce_dlq_reader", "membership in chargeonce_charge from chargeonce_ingest",
                    "SET on parameter session_replication_role from chargeonce_charge",
                    "setting synchronous_commit=off from chargeonce_charge", "CREATEDB from chargeonce_ingest",
                    "BYPASSRLS from chargeonce_charge", "REPLICATION from chargeonce_charge", "SUPERUSER from chargeonce_retry",
                    "CREATEROLE from chargeonce_retry");
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack()).isEmpty();
        } finally {
            execute("DROP ROLE thief");
        }
    }

    /** Amazon RDS asks its members for a token instead of a password. */
    @Test
    void the_login_by_token_of_a_managed_postgres_stays_unless_rights_come_with_it() throws SQLException {
        execute("CREATE ROLE rds_iam", "GRANT rds_iam TO chargeonce_charge, chargeonce_ingest");
        try {
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack()).isEmpty();
            execute("GRANT rds_iam TO chargeonce_ingest WITH ADMIN OPTION");
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack())
                    .containsExactly("membership in rds_iam from chargeonce_ingest");
            for (String right : List.of("SELECT ON operation TO rds_iam", "pg_read_all_data TO rds_iam")) {
                execute("GRANT rds_iam TO chargeonce_charge", "GRANT " + right);
                assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack()).as(right)
                        .containsExactly("membership in rds_iam from chargeonce_charge");
                execute("REVOKE " + right.replace(" TO ", " FROM "));
            }
        } finally {
            execute("DROP OWNED BY rds_iam", "DROP ROLE rds_iam");
        }
    }

    @Test
    void a_person_keeps_the_membership_that_the_owner_gave_and_nothing_else() throws SQLException {
        People.add(url, "postgres", "", "carol", "chargeonce_dlq_operator", Optional.empty());
        execute("GRANT UPDATE ON operation TO carol", "GRANT chargeonce_charge TO carol");
        try {
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack())
                    .containsExactlyInAnyOrder("UPDATE on operation from carol", "membership in chargeonce_charge from carol");
            execute("GRANT chargeonce_dlq_operator TO carol WITH ADMIN OPTION");
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack())
                    .containsExactly("membership in chargeonce_dlq_operator from carol");
            People.add(url, "postgres", "", "carol", "chargeonce_dlq_operator", Optional.empty());
            assertThat(Texts.of(owner, "SELECT pg_has_role('carol', 'chargeonce_dlq_operator', 'USAGE')::text")).containsExactly("true");
            People.remove(url, "postgres", "", "carol");
            assertThat(Texts.of(owner, "SELECT pg_has_role('carol', 'chargeonce_dlq_operator', 'USAGE')::text")).containsExactly("false");
            assertThat(Texts.of(owner, "SELECT action || ' by ' || actor FROM audit_record WHERE resource_id = 'carol' ORDER BY audit_id"))
                    .containsExactly("person.added by postgres", "person.added by postgres", "person.removed by postgres");
        } finally {
            execute("DROP ROLE carol");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_eraser",
        "chargeonce_merchant_admin"})
    void a_person_may_have_each_role_that_people_have_and_keeps_it(String role) throws SQLException {
        People.add(url, "postgres", "", "eve", role, Optional.empty());
        try {
            assertThat(Roles.apply(url, "postgres", "", Optional.empty()).tookBack()).isEmpty();
            assertThat(Texts.of(owner, "SELECT pg_has_role('eve', '%s', 'USAGE')::text".formatted(role))).containsExactly("true");
        } finally {
            People.remove(url, "postgres", "", "eve");
            execute("DROP ROLE eve");
        }
    }

    @Test
    void what_is_not_as_it_was_left_shows_to_charge_and_in_a_check() throws SQLException {
        var meters = new SimpleMeterRegistry();
        try (var database = Database.open(url.replace("user=postgres", "user=chargeonce_charge"), "chargeonce_charge", "", 1)) {
            var grants = new DriftedGrants(database, meters);
            grants.runOnce();
            assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
            assertThat(meters.get("chargeonce.grants.drifted").gauge().value()).isZero();
            execute("GRANT UPDATE ON operation TO PUBLIC", "REVOKE SELECT ON operation FROM chargeonce_charge",
                    "GRANT chargeonce_charge TO chargeonce_ingest",
                    "ALTER TABLE operation DISABLE TRIGGER operation_never_changes");
            try {
                grants.runOnce();
                assertThat(People.driftedGrants(url, "postgres", "")).containsExactly("missing: SELECT on operation to chargeonce_charge",
                        "too much: UPDATE on operation to everyone", "too much: membership of chargeonce_ingest in chargeonce_charge",
                        "too much: trigger operation_never_changes of operation switched off");
                assertThat(meters.get("chargeonce.grants.drifted").gauge().value()).isEqualTo(4);
            } finally {
                execute("ALTER TABLE operation ENABLE TRIGGER operation_never_changes");
            }
        }
        Roles.apply(url, "postgres", "", Optional.empty());
        assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
        People.add(url, "postgres", "", "dora", "chargeonce_dlq_operator", Optional.empty());
        try {
            assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
        } finally {
            People.remove(url, "postgres", "", "dora");
            execute("DROP ROLE dora");
        }
    }

    @Test
    void rights_to_look_unmasked_and_to_erase_and_policies_that_drift_are_told_too() throws SQLException {
        String check = Texts.of(owner, "SELECT with_check FROM pg_policies WHERE policyname = 'each_tells_what_it_decides'").getFirst();
        execute("GRANT chargeonce_dlq_unmask TO chargeonce_dlq_reader", "GRANT chargeonce_eraser TO chargeonce_dlq_reader",
                "ALTER TABLE idempotency_key DISABLE ROW LEVEL SECURITY",
                "CREATE POLICY all_keys ON idempotency_key FOR SELECT USING (true)",
                "ALTER POLICY each_tells_what_it_decides ON outbox WITH CHECK (true)");
        try {
            assertThat(People.driftedGrants(url, "postgres", ""))
                    .contains("too much: membership of chargeonce_dlq_reader in chargeonce_dlq_unmask",
                            "too much: membership of chargeonce_dlq_reader in chargeonce_eraser",
                            "too much: no row-level security of idempotency_key",
                            "too much: policy all_keys of idempotency_key for SELECT to {public}: true",
                            "too much: policy each_tells_what_it_decides of outbox for INSERT to {public}: true")
                    .hasSize(6)
                    .anyMatch(line -> line.startsWith("missing: policy each_tells_what_it_decides of outbox"));
        } finally {
            execute("ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY", "DROP POLICY all_keys ON idempotency_key",
                    "REVOKE chargeonce_dlq_unmask FROM chargeonce_dlq_reader", "REVOKE chargeonce_eraser FROM chargeonce_dlq_reader",
                    "ALTER POLICY each_tells_what_it_decides ON outbox WITH CHECK (" + check + ")");
        }
        assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
    }

    @Test
    void sessions_of_people_end_what_was_forgotten() throws SQLException {
        People.add(url, "postgres", "", "erin", "chargeonce_dlq_operator", Optional.empty());
        try {
            assertThat(Texts.of(owner, "SELECT rolname FROM pg_roles WHERE rolconfig @> '{idle_in_transaction_session_timeout=30s,"
                    + "statement_timeout=10min,idle_session_timeout=12h}'"))
                    .contains("chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_eraser",
                            "chargeonce_merchant_admin", "erin")
                    .doesNotContain("chargeonce_ingest", "chargeonce_charge", "chargeonce_retry", "chargeonce_webhooks");
        } finally {
            People.remove(url, "postgres", "", "erin");
            execute("DROP ROLE erin");
        }
    }

    /** Postgres lets each login change its own settings. */
    @Test
    void a_setting_that_a_role_has_given_itself_is_told() throws SQLException {
        String here = Texts.of(owner, "SELECT format('IN DATABASE %I', current_database())").getFirst();
        try (var ingest = DriverManager.getConnection(url.replace("user=postgres", "user=chargeonce_ingest"));
             var statement = ingest.createStatement()) {
            statement.execute("ALTER ROLE CURRENT_USER " + here + " SET idle_in_transaction_session_timeout = 0");
        }
        try {
            assertThat(People.driftedGrants(url, "postgres", ""))
                    .containsExactly("too much: setting idle_in_transaction_session_timeout=0 of chargeonce_ingest");
        } finally {
            execute("ALTER ROLE chargeonce_ingest " + here + " RESET ALL");
        }
        assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
    }

    @Test
    void a_password_that_a_role_has_given_itself_is_told_until_it_is_set_again(@TempDir Path passwords) throws Exception {
        try (var ingest = DriverManager.getConnection(url.replace("user=postgres", "user=chargeonce_ingest"));
             var statement = ingest.createStatement()) {
            statement.execute("ALTER ROLE CURRENT_USER PASSWORD 'only the thief knows'");
        }
        try {
            assertThat(People.driftedGrants(url, "postgres", "")).hasSize(2).allMatch(line -> line.matches(
                    "(too much|missing): password [0-9a-f]{8} of chargeonce_ingest"));
            Roles.apply(url, "postgres", "", Optional.empty());
            assertThat(People.driftedGrants(url, "postgres", "")).as("it is still the thief's").hasSize(2);
            Files.writeString(passwords.resolve("chargeonce_ingest"), "another one");
            Roles.apply(url, "postgres", "", Optional.of(passwords));
            assertThat(People.driftedGrants(url, "postgres", "")).isEmpty();
        } finally {
            execute("ALTER ROLE chargeonce_ingest PASSWORD NULL", "DELETE FROM chargeonce.intended_grant WHERE line LIKE 'password %'");
            Roles.apply(url, "postgres", "", Optional.empty());
        }
    }

    @Test
    void the_limits_of_four_eyes_are_the_owners_and_on_record() throws SQLException {
        People.limit(url, "postgres", "", Map.of("*", 500L, "EUR", 100_000L));
        People.limit(url, "postgres", "", Map.of());
        assertThat(Texts.of(owner,
                "SELECT action || ' by ' || actor || ' ' || (data ->> 'EUR') FROM audit_record WHERE action = 'four_eyes.set' AND data "
                        + "->> 'EUR' <> ''"))
                .containsExactly("four_eyes.set by postgres 100000");
        assertThat(Texts.of(owner, "SELECT of_what FROM four_eyes")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"charge-consumer", "merchant:acme", "chargeonce_charge", "pg_signal_backend", "", "Ann"})
    void no_person_has_a_name_that_could_be_a_services(String name) {
        assertThatThrownBy(() -> People.add(url, "postgres", "", name, "chargeonce_dlq_operator", Optional.empty()))
                .isInstanceOf(DatabaseRefused.class);
    }

    @Test
    void an_owner_who_is_no_superuser_takes_back_what_it_may_and_names_the_rest() throws SQLException {
        String owned = TestStack.newDatabase();
        String name = owned.replaceAll(".*/([^?]*).*", "$1");
        // Other tests on this server have made the roles already. A login that makes a role gets this right by itself.
        execute("CREATE ROLE schema_owner LOGIN CREATEROLE", "ALTER DATABASE \"" + name + "\" OWNER TO schema_owner");
        for (String role : Roles.ALL) {
            execute("GRANT " + role + " TO schema_owner WITH ADMIN OPTION");
        }
        String asOwner = owned.replace("user=postgres", "user=schema_owner");
        try (Connection connection = DriverManager.getConnection(asOwner + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            Migrations.apply(asOwner, "schema_owner", "");
            assertThat(Roles.apply(asOwner, "schema_owner", "", Optional.empty()))
                    .isEqualTo(new Roles.Applied(List.of(), List.of(), List.of()));
            statement.execute("GRANT UPDATE ON operation TO chargeonce_ingest");
            execute("GRANT pg_read_all_data TO chargeonce_dlq_reader", "ALTER ROLE chargeonce_retry SUPERUSER");
            Roles.Applied applied = Roles.apply(asOwner, "schema_owner", "", Optional.empty());
            assertThat(applied.tookBack()).containsExactly("UPDATE on operation from chargeonce_ingest");
            assertThat(applied.left()).containsExactlyInAnyOrder(
                    "SUPERUSER from chargeonce_retry; a superuser must run: ALTER ROLE chargeonce_retry NOSUPERUSER",
                    "membership in pg_read_all_data from chargeonce_dlq_reader; a superuser must run: "
                            + "REVOKE pg_read_all_data FROM chargeonce_dlq_reader GRANTED BY postgres CASCADE");
            statement.execute("CREATE ROLE thief");
            statement.execute("GRANT chargeonce_charge TO thief");
            execute("ALTER ROLE chargeonce_retry NOSUPERUSER", "REVOKE pg_read_all_data FROM chargeonce_dlq_reader");
            assertThat(Roles.apply(asOwner, "schema_owner", "", Optional.empty()))
                    .isEqualTo(new Roles.Applied(List.of(), List.of("membership in chargeonce_charge from thief"), List.of()));
            statement.execute("DROP ROLE thief");
        } finally {
            execute("ALTER ROLE chargeonce_retry NOSUPERUSER", "REVOKE pg_read_all_data FROM chargeonce_dlq_reader");
            for (String role : Roles.ALL) {
                execute("REVOKE " + role + " FROM schema_owner CASCADE");
            }
            execute("ALTER ROLE schema_owner NOLOGIN");
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (var statement = owner.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
