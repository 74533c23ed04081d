// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The audit log starts new tables in time, and deletes old ones only with evidence that distinguishes that from a theft. */
class AuditRetentionTest {

    private static final AuditKeys KEY = AuditKeys.of(Optional.of(new Secret("k".repeat(32))));
    private static final AuditKeys ANOTHER = AuditKeys.of(Optional.of(new Secret("x".repeat(32))));
    private static final String FIRST = "audit_record_to_99999999";
    private static final String SECOND = "audit_record_to_199999999";
    private static String url;
    private static Database database;

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase(empty -> {
            Migrations.apply(empty, "postgres", "");
            Roles.apply(empty, "postgres", "", Optional.empty());
        });
        database = Database.open(url.replace("user=postgres", "user=chargeonce_charge"), "chargeonce_charge", "", 4);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void begin_again() throws SQLException {
        execute("""
                DO $$
                DECLARE
                    each bigint;
                BEGIN
                    DROP VIEW IF EXISTS of_an_auditor;
                    DROP TABLE IF EXISTS forged, audit_record_to_99999999;
                    FOR each IN SELECT audit_tables FROM audit_tables() LOOP
                        EXECUTE 'DROP TABLE audit_record_to_' || each;
                    END LOOP;
                    TRUNCATE audit_record, audit_seal, outbox RESTART IDENTITY;
                    PERFORM make_audit_room();
                END $$""");
    }

    @Test
    void records_go_on_in_the_next_table_and_are_read_as_one_log() throws SQLException {
        execute("SELECT setval('audit_record_audit_id_seq', 99999997)");
        append("a", "b", "c", "d");
        assertThat(text("SELECT string_agg(resource_id, '' ORDER BY audit_id) FROM audit_record")).isEqualTo("abcd");
        assertThat(text("SELECT count(*) FROM " + FIRST)).isEqualTo("2");
        assertThat(text("SELECT count(*) FROM " + SECOND)).isEqualTo("2");
    }

    @Test
    void a_table_is_made_before_the_one_in_use_is_full() throws SQLException {
        execute("SELECT setval('audit_record_audit_id_seq', 100000000)");
        execute("SELECT make_audit_room()");
        assertThat(tables()).isEqualTo("99999999 199999999 299999999");
        assertThat(text("SELECT count(*) FROM pg_index JOIN pg_inherits ON inhparent = 'audit_record'::regclass AND inhrelid = indrelid"))
                .as("each with the indexes of the whole").isEqualTo("12");
    }

    /** While another session holds the lock and creates no table, there is room for ten million records. */
    @Test
    void while_there_is_room_no_append_waits_for_a_new_table() throws SQLException {
        execute("SELECT setval('audit_record_audit_id_seq', 195000000)");
        try (Connection another = begin(); var statement = another.createStatement()) {
            statement.execute("LOCK TABLE ONLY audit_record IN SHARE UPDATE EXCLUSIVE MODE");
            append("a");
            assertThat(tables()).isEqualTo("99999999 199999999");
            another.rollback();
        }
        append("b");
        assertThat(tables()).isEqualTo("99999999 199999999 299999999");
    }

    @Test
    void appends_that_find_no_table_at_all_make_it_themselves() throws SQLException {
        execute("SELECT setval('audit_record_audit_id_seq', 499999990)");
        CompletableFuture.allOf(IntStream.range(0, 4)
                .mapToObj(writer -> CompletableFuture.runAsync(() -> IntStream.range(0, 10).forEach(i -> append("w" + writer + "-" + i))))
                .toArray(CompletableFuture[]::new)).join();
        assertThat(text("SELECT count(*) FROM audit_record WHERE audit_id > 499999990")).isEqualTo("40");
    }

    @Test
    void a_seal_ends_where_a_table_ends() throws SQLException {
        execute("SELECT setval('audit_record_audit_id_seq', 99999997)");
        append("a", "b", "c", "d");
        var sealer = sealer(KEY, 400);
        sealer.runOnce();
        sealer.runOnce();
        assertThat(text("SELECT string_agg(from_id || '-' || to_id || ':' || records, ' ' ORDER BY seal) FROM audit_seal"))
                .isEqualTo("1-99999999:2 100000000-100000001:2");
    }

    @Test
    void what_is_sealed_and_old_enough_is_forgotten_with_its_table_and_the_next_seal_says_so() throws SQLException {
        twoYearsAgo("a", "b", "c");
        sealUntilTablesAreLookedAfter(KEY, 400);
        assertThat(tables()).isEqualTo("199999999 299999999");
        assertThat(text("SELECT forgotten_to FROM audit_seal WHERE seal = " + AuditSealer.TABLES_EVERY)).isEqualTo("99999999");
        assertThat(text("SELECT convert_from(value, 'UTF8')::json ->> 'forgotten_to' FROM outbox WHERE record_key = '%d'"
                .formatted(AuditSealer.TABLES_EVERY))).as("published to Kafka too").isEqualTo("99999999");
        append("after");
        sealer(KEY, 400).runOnce();
        Checked checked = check(KEY);
        assertThat(checked.findings).isEmpty();
        assertThat(checked.report.forgotten().flatMap(Seal::forgotten)).hasValue(99_999_999L);
        assertThat(checked.report.records()).as("existing records").isEqualTo(AuditSealer.TABLES_EVERY);
        assertThat(checked.report.holdsSinceTheFirst()).as("the chain").isTrue();
        assertThat(check(AuditKeys.NONE).findings).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // Younger than the retention, and than the shortest possible one.
        "UPDATE audit_seal SET sealed_at = now() - interval '89 days'",
        // Not sealed to the end of its table, or not the seal that was checked.
        "UPDATE audit_seal SET to_id = 99999998", "UPDATE audit_seal SET to_id = 199999998"})
    void what_is_young_or_not_all_sealed_stays_for_every_caller(String change) throws SQLException {
        twoYearsAgo("a");
        execute(change);
        assertThat(forget("2160 hours")).isEqualTo("nothing");
        assertThat(tables()).isEqualTo("99999999 199999999 299999999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"89 days", "-1200 months 36014 days", "-400 days", "-infinity"})
    void nothing_is_forgotten_within_ninety_days(String kept) throws SQLException {
        twoYearsAgo("a");
        assertThatThrownBy(() -> forget(kept)).hasMessageContaining("this must be kept for at least 2160:00:00");
    }

    @Test
    void within_the_retention_of_the_settings_everything_stays() throws SQLException {
        twoYearsAgo("a");
        sealUntilTablesAreLookedAfter(KEY, 3650);
        assertThat(tables()).isEqualTo("99999999 199999999 299999999");
        assertThat(check(KEY).report.forgotten()).isEmpty();
    }

    /** Otherwise the database's owner could make charge delete young records, and confirm it with its key. */
    @Test
    void a_seal_that_was_set_back_or_forged_in_the_database_has_nothing_forgotten() throws SQLException {
        old(Duration.ofDays(10), "a");
        execute("UPDATE audit_seal SET sealed_at = now() - interval '2 years'");
        sealUntilTablesAreLookedAfter(KEY, 400);
        assertThat(tables()).startsWith("99999999 ");
        for (AuditKeys forgers : List.of(AuditKeys.NONE, ANOTHER)) {
            execute("DELETE FROM audit_seal");
            insert(Seal.following(Optional.empty(), 99_999_999, digest(), Optional.empty(), "2024-01-01 00:00:00", forgers));
            sealUntilTablesAreLookedAfter(KEY, 400);
            assertThat(tables()).startsWith("99999999 ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DROP TABLE " + FIRST, "ALTER TABLE audit_record DETACH PARTITION " + FIRST, "TRUNCATE " + FIRST,
        "DROP TABLE audit_record_to_99999999; UPDATE audit_seal SET forgotten_to = 99999999 WHERE seal = 3",
        "DROP TABLE audit_record_to_99999999; UPDATE audit_seal SET key_id = NULL, forgotten_to = 99999999 WHERE seal = 3",
        "DROP TABLE audit_record_to_99999999; UPDATE audit_seal SET forgotten_to = 99999999, mark = sha256('x') WHERE seal = 3",
        "DROP TABLE audit_record_to_99999999; DELETE FROM audit_seal WHERE seal = 1",
        "DELETE FROM audit_record WHERE resource_id = 'a'"})
    void a_beginning_that_was_taken_away_by_hand_shows(String theft) throws SQLException {
        twoYearsAgo("a", "b");
        for (String each : List.of("c", "d")) {
            append(each);
            sealer(KEY, 3650).runOnce();
        }
        assertThat(check(KEY).findings).isEmpty();
        execute(theft);
        assertThat(check(KEY).findings).isNotEmpty();
    }

    @Test
    void a_seal_of_a_foreign_key_about_deleted_records_is_not_trusted() throws SQLException {
        twoYearsAgo("a", "b");
        append("c");
        execute("DROP TABLE " + FIRST);
        insert(Seal.following(last(), 100_000_001, digest(), Optional.of(99_999_999L), "2026-01-01 00:00:00", ANOTHER));
        assertThat(check(ANOTHER).report.forgotten()).isPresent();
        assertThat(check(KEY).findings).containsExactly("it sealed 2 records between 1 and 99999999, and there are 0 now",
                "none of the given keys made its mark; older keys follow below the newest in their file");
        execute("DELETE FROM audit_seal WHERE seal = 2");
        insert(Seal.following(last(), 100_000_001, digest(), Optional.of(99_999_999L), "2026-01-01 00:00:00", AuditKeys.NONE));
        assertThat(check(KEY).findings).contains("it has no key, and earlier seals had one");
    }

    @Test
    void records_that_appear_where_all_were_forgotten_show() throws SQLException {
        twoYearsAgo("a");
        sealUntilTablesAreLookedAfter(KEY, 400);
        execute("CREATE TABLE forged PARTITION OF audit_record FOR VALUES FROM (MINVALUE) TO (100000000); "
                + "INSERT INTO audit_record (audit_id, actor, action, resource_type, resource_id) VALUES (7, 'alice', 'dlq.purged', "
                + "'x', 'y')");
        assertThat(check(KEY).findings).singleElement().asString().contains("record 7 exists, although all up to 99999999 were deleted");
    }

    /** A scan of the whole log takes long, and appends queue behind its lock. */
    @Test
    void while_a_reader_holds_the_log_it_is_sealed_and_appended_to_and_forgotten_later() throws SQLException {
        twoYearsAgo("a");
        try (Connection reader = begin(); var statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM audit_record");
            sealUntilTablesAreLookedAfter(KEY, 400);
            append("meanwhile");
            assertThat(tables()).isEqualTo("99999999 199999999 299999999");
            reader.rollback();
        }
        sealUntilTablesAreLookedAfter(KEY, 400);
        assertThat(tables()).isEqualTo("199999999 299999999");
        assertThat(check(KEY).findings).isEmpty();
    }

    @Test
    void a_table_that_cannot_be_dropped_stops_no_seal() throws SQLException {
        twoYearsAgo("a");
        execute("CREATE VIEW of_an_auditor AS SELECT * FROM " + FIRST);
        sealUntilTablesAreLookedAfter(KEY, 400);
        assertThat(text("SELECT count(*) FROM audit_seal")).isEqualTo("" + AuditSealer.TABLES_EVERY);
        assertThat(tables()).isEqualTo("99999999 199999999 299999999");
    }

    /** Since then the log has continued in its second table. */
    private static void twoYearsAgo(String... resources) throws SQLException {
        old(Duration.ofDays(730), resources);
    }

    private static void old(Duration age, String... resources) throws SQLException {
        append(resources);
        String then = text("SELECT (now() AT TIME ZONE 'UTC' - interval '%d seconds')::text".formatted(age.toSeconds()));
        execute("SELECT setval('audit_record_audit_id_seq', 100000000)");
        execute("SELECT make_audit_room()");
        insert(Seal.following(Optional.empty(), 99_999_999, digest(), Optional.empty(), then, KEY));
    }

    private static RecordDigest digest() {
        return database.inTransaction(connection -> new RecordDigest().read(connection, 1, 1_000_000_000, 1000));
    }

    private static Optional<Seal> last() {
        return database.withConnection(SealTable::last);
    }

    /** As the owner, who may set any time. */
    private static void insert(Seal seal) throws SQLException {
        try (Connection owner = begin()) {
            SealTable.insert(owner, seal);
            owner.commit();
        }
    }

    private static void sealUntilTablesAreLookedAfter(AuditKeys keys, int days) {
        var sealer = sealer(keys, days);
        do {
            append("one more");
            sealer.runOnce();
        } while (last().orElseThrow().number() % AuditSealer.TABLES_EVERY != 0);
    }

    private static AuditSealer sealer(AuditKeys keys, int days) {
        return new AuditSealer(database, new Topics("payments"), new AuditSealer.Settings(keys, Duration.ZERO, Duration.ofDays(days)),
                () -> {}, new SimpleMeterRegistry());
    }

    private record Checked(SealCheck.Report report, List<String> findings) {}

    private static Checked check(AuditKeys keys) {
        var findings = Collections.synchronizedList(new ArrayList<String>());
        var report = new SealCheck(database, keys, finding -> findings.add(finding.what())).check(SealCheck.Start.AT_THE_FIRST);
        return new Checked(report, findings);
    }

    private static void append(String... resources) {
        database.inTransaction(connection -> {
            AuditLog.append(connection, List.of(resources).stream().map(resource -> new AuditLog.Entry("charge-consumer", "tried",
                    Optional.of("acme"), "operation", resource, Optional.empty(), Map.of())).toList());
            return resources;
        });
    }

    private static String forget(String kept) throws SQLException {
        try (Connection charge = DriverManager.getConnection(url.replace("user=postgres", "user=chargeonce_charge"));
             var statement = charge.createStatement()) {
            charge.setSchema("chargeonce");
            try (var row = statement
                    .executeQuery("SELECT coalesce(forget_audit_records(interval '" + kept + "', 1, 99999999)::text, 'nothing')")) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private static String tables() throws SQLException {
        return text("SELECT string_agg(audit_tables::text, ' ' ORDER BY audit_tables) FROM audit_tables()");
    }

    private static Connection begin() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setSchema("chargeonce");
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(String sql) throws SQLException {
        try (Connection owner = begin(); var statement = owner.createStatement()) {
            statement.execute(sql);
            owner.commit();
        }
    }

    private static String text(String sql) throws SQLException {
        try (Connection owner = begin(); var statement = owner.createStatement(); var row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "nothing";
        }
    }
}
