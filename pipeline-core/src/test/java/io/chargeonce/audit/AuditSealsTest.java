// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sealed records cannot be changed unnoticed, and no record is sealed that may still get a neighbour. */
class AuditSealsTest {

    private static final Topics TOPICS = new Topics("payments");
    private static final AuditKeys KEY = keys("k".repeat(32));
    private static final AuditKeys ANOTHER = keys("x".repeat(32));
    private static String url;
    private static Database database;

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        database = Database.open(url, "postgres", "", 6);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() {
        execute("TRUNCATE audit_record, audit_seal, outbox RESTART IDENTITY");
    }

    @Test
    void a_seal_covers_what_was_appended_since_the_last_and_is_staged_for_its_topic() {
        append("a", "b");
        sealer(KEY).runOnce();
        append("c");
        sealer(KEY).runOnce();
        sealer(KEY).runOnce();
        assertThat(text("SELECT string_agg(from_id || '-' || to_id || ':' || records, ' ' ORDER BY seal) FROM audit_seal"))
                .isEqualTo("1-2:2 3-3:1");
        assertThat(text(
                "SELECT string_agg(convert_from(value, 'UTF8')::json ->> 'seal', ' ' ORDER BY outbox_id) FROM outbox WHERE topic = "
                        + "'payments.audit-seals'"))
                .isEqualTo("1 2");
        Checked checked = check(KEY);
        assertThat(checked.findings).isEmpty();
        assertThat(checked.report)
                .extracting(SealCheck.Report::seals, SealCheck.Report::records, SealCheck.Report::plain,
                        SealCheck.Report::holdsSinceTheFirst)
                .containsExactly(2L, 3L, 0L, true);
        assertThat(checked.report.unsealed().records()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE audit_record SET actor = 'another' WHERE audit_id = 2",
        "UPDATE audit_record SET at = at + interval '1 microsecond' WHERE audit_id = 2",
        "UPDATE audit_record SET session_role = 'another' WHERE audit_id = 2",
        "UPDATE audit_record SET data = '{\"amount\": 1}' WHERE audit_id = 2",
        "UPDATE audit_record SET reason = NULL, origin = reason WHERE audit_id = 2", "DELETE FROM audit_record WHERE audit_id = 2",
        "DELETE FROM audit_record WHERE audit_id = 4", "TRUNCATE audit_record",
        "INSERT INTO audit_record (audit_id, actor, action, resource_type, resource_id) OVERRIDING SYSTEM VALUE VALUES (3, 'a', 'b', "
                + "'c', 'd')",
        "UPDATE audit_record SET audit_id = DEFAULT WHERE audit_id = 1"})
    void a_record_that_was_changed_added_or_taken_away_shows(String forgery) {
        append("a", "b");
        text("SELECT nextval('audit_record_audit_id_seq')");
        append("d");
        sealer(KEY).runOnce();
        assertThat(check(KEY).findings).isEmpty();
        execute(forgery);
        assertThat(check(KEY).findings).singleElement().asString().startsWith("1 ");
        assertThat(check(KEY).report.holdsSinceTheFirst()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "INSERT INTO audit_record (audit_id, actor, action, resource_type, resource_id) OVERRIDING SYSTEM VALUE VALUES (-1, 'a', 'b', "
                + "'c', 'd')",
        "INSERT INTO audit_record (audit_id, actor, action, resource_type, resource_id) OVERRIDING SYSTEM VALUE VALUES (4711, 'a', "
                + "'b', 'c', 'd')"})
    void a_record_under_an_id_that_was_never_given_out_shows_and_stops_no_seal(String forgery) {
        append("a");
        sealer(KEY).runOnce();
        execute(forgery);
        append("b");
        sealer(KEY).runOnce();
        assertThat(text("SELECT max(to_id) FROM audit_seal")).isEqualTo("2");
        assertThat(check(KEY).findings).singleElement().asString().contains("has an id that the log never assigned");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE FROM audit_seal WHERE seal = 2", "DELETE FROM audit_seal WHERE seal <= 2",
        "UPDATE audit_seal SET records = 2 WHERE seal = 2",
        "UPDATE audit_seal SET mark = sha256('x') WHERE seal = 2",
        "UPDATE audit_seal SET sealed_at = sealed_at - interval '1 day' WHERE seal = 2",
        "UPDATE audit_seal SET sealed_at = 'infinity' WHERE seal = 2", "UPDATE audit_seal SET key_id = NULL WHERE seal = 3"})
    void a_seal_that_was_changed_or_taken_away_shows(String forgery) {
        Stream.of("a", "b", "c").forEach(each -> {
            append(each);
            sealer(KEY).runOnce();
        });
        execute(forgery);
        assertThat(check(KEY).findings).isNotEmpty();
        assertThat(check(KEY).report.holdsSinceTheFirst()).isFalse();
    }

    @Test
    void rewritten_seals_are_found_without_the_key() {
        append("a", "b");
        sealer(KEY).runOnce();
        for (AuditKeys forgers : List.of(AuditKeys.NONE, ANOTHER)) {
            execute("UPDATE audit_record SET actor = 'another' WHERE audit_id = 1");
            execute("TRUNCATE audit_seal");
            sealer(forgers).runOnce();
            assertThat(check(forgers).findings).as("its own hashes alone are consistent").isEmpty();
            assertThat(check(KEY).findings).singleElement().asString().containsAnyOf("none of the given keys made its mark",
                    "no key made its mark");
        }
        execute("UPDATE audit_seal SET key_id = '" + KEY.current().orElseThrow() + "'");
        assertThat(check(KEY).findings).singleElement().asString().contains("did not make its mark");
    }

    @Test
    void without_a_key_the_chain_has_plain_hashes_and_that_is_reported() {
        append("a");
        sealer(AuditKeys.NONE).runOnce();
        assertThat(check(AuditKeys.NONE).findings).isEmpty();
        assertThat(check(AuditKeys.NONE).report.plain()).isOne();
        append("b");
        sealer(KEY).runOnce();
        assertThat(check(KEY).findings).as("the chain protects what came before a key").isEmpty();
        append("c");
        sealer(AuditKeys.NONE).runOnce();
        append("d");
        sealer(KEY).runOnce();
        assertThat(check(KEY).findings).singleElement().asString().startsWith("3 it has no key, and earlier seals had one");
        assertThat(check(AuditKeys.NONE).report.otherKeys()).isEqualTo(java.util.Set.of(KEY.current().orElseThrow()));
    }

    @Test
    void a_new_key_above_the_old_one_marks_new_seals_and_the_old_one_checks_old_seals() {
        append("a");
        sealer(KEY).runOnce();
        AuditKeys both = keys("x".repeat(32) + "\n" + "k".repeat(32));
        append("b");
        sealer(both).runOnce();
        assertThat(text("SELECT count(DISTINCT key_id) FROM audit_seal")).isEqualTo("2");
        assertThat(check(both).findings).isEmpty();
        assertThat(check(both).report.otherKeys()).isEmpty();
        assertThat(check(ANOTHER).findings).singleElement().asString().startsWith("1 none of the given keys made its mark");
        assertThatThrownBy(() -> keys("short")).hasMessage("CHARGEONCE_AUDIT_KEY_FILE: a key has at least 32 characters, not 5");
        assertThat(both.toString()).doesNotContain("xxx", "kkk");
    }

    @Test
    void a_record_that_commits_late_is_never_found_inside_a_sealed_range() throws SQLException {
        var sealer = sealer(KEY);
        try (Connection late = begin()) {
            AuditLog.append(late, List.of(entry("late")));
            append("early");
            sealer.runOnce();
            append("early again");
            sealer.runOnce();
            assertThat(sealed()).as("records above which one may still appear").isZero();
            late.commit();
        }
        try (Connection another = begin()) {
            AuditLog.append(another, List.of(entry("another")));
            sealer.runOnce();
            assertThat(sealed()).as("up to the first pass's last id, although others write now").isEqualTo(2);
            another.rollback();
        }
        append("after a gap");
        sealer.runOnce();
        assertThat(sealed()).isEqualTo(4);
        assertThat(check(KEY).findings).isEmpty();
    }

    @Test
    void a_long_transaction_on_other_tables_delays_no_seal() throws SQLException {
        try (Connection another = begin(); var statement = another.createStatement()) {
            statement.execute("INSERT INTO merchant (merchant_id) VALUES ('umbrella')");
            statement.execute("SELECT count(*) FROM audit_record");
            append("a");
            sealer(KEY).runOnce();
            assertThat(sealed()).isOne();
            another.rollback();
        }
    }

    @Test
    void sealers_of_several_processes_seal_each_record_once_while_records_come() {
        var running = new ArrayList<CompletableFuture<Void>>();
        IntStream.range(0, 2).forEach(writer -> running
                .add(CompletableFuture.runAsync(() -> IntStream.range(0, 60).forEach(i -> append("w" + writer + "-" + i)))));
        IntStream.range(0, 3).forEach(process -> running.add(CompletableFuture.runAsync(() -> {
            var sealer = sealer(KEY, 7);
            IntStream.range(0, 40).forEach(pass -> sealer.runOnce());
        })));
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        var sealer = sealer(KEY);
        sealer.runOnce();
        assertThat(text("SELECT sum(records) FROM audit_seal")).isEqualTo("120");
        assertThat(check(KEY).findings).isEmpty();
    }

    @Test
    void what_is_too_much_for_one_seal_is_sealed_at_once_by_several() {
        append("a", "b", "c", "d", "e", "f", "g");
        var sealer = sealer(KEY, 3);
        assertThat(List.of(sealer.runOnce(), sealer.runOnce(), sealer.runOnce())).containsExactly(1, 1, 0);
        assertThat(text("SELECT string_agg(records::text, ' ' ORDER BY seal) FROM audit_seal")).isEqualTo("3 3 1");
        assertThat(check(KEY).findings).isEmpty();
    }

    @Test
    void seals_keep_their_distance_in_time_and_the_age_of_the_oldest_unsealed_record_is_shown() {
        var meters = new SimpleMeterRegistry();
        var sealer = new AuditSealer(database, TOPICS, new AuditSealer.Settings(KEY, Duration.ofMinutes(1)), () -> {}, meters);
        append("a");
        sealer.runOnce();
        append("b");
        execute("UPDATE audit_record SET at = now() - interval '40 seconds' WHERE audit_id = 2");
        sealer.runOnce();
        assertThat(sealed()).isOne();
        assertThat(meters.get("chargeonce.audit.unsealed.seconds").gauge().value()).isBetween(40.0, 1000.0);
        assertThat(check(KEY).report.unsealed().records()).isOne();
        execute("UPDATE audit_seal SET sealed_at = now() + interval '3 hours'");
        sealer.runOnce();
        assertThat(sealed()).as("a clock that was set back stops nothing").isEqualTo(2);
        assertThat(meters.get("chargeonce.audit.unsealed.seconds").gauge().value()).isZero();
    }

    @Test
    void odd_records_are_sealed_and_checked_like_any_other() {
        execute("INSERT INTO audit_record (at, actor, action, resource_type, resource_id, data) VALUES ('infinity', '', E'\\u0001 "
                + "\\u202e', '', '', '\"\\u0000 \\ud800\"'),"
                + " ('-infinity', 'ä', 'dlq.x', '', '', NULL), (now(), '', '', '', '', ('\"' || repeat('x', 200000) || '\"')::json), "
                + "('4713-01-01 BC', '', '', '', '', '[1e400]')");
        sealer(KEY).runOnce();
        assertThat(check(KEY).findings).isEmpty();
        execute("UPDATE audit_record SET at = 'infinity' WHERE audit_id = 2");
        assertThat(check(KEY).findings).hasSize(1);
    }

    @Test
    void only_what_came_after_a_seal_is_checked_when_asked_so() {
        Stream.of("a", "b", "c").forEach(each -> {
            append(each);
            sealer(KEY).runOnce();
        });
        execute("UPDATE audit_record SET actor = 'another' WHERE audit_id = 1");
        assertThat(check(KEY).findings).hasSize(1);
        Checked rest = check(KEY, 1);
        assertThat(rest.findings).isEmpty();
        assertThat(rest.report.seals()).isEqualTo(2);
        assertThat(check(KEY, 99).findings).singleElement().asString().contains("no such seal");
        execute("UPDATE audit_seal SET sealed_at = now() - interval '2 days' WHERE seal = 1");
        assertThat(SealCheck.olderThan(database, Duration.ofDays(1))).isOne();
    }

    private record Checked(SealCheck.Report report, List<String> findings) {}

    private static Checked check(AuditKeys keys) {
        return check(keys, 0);
    }

    private static Checked check(AuditKeys keys, long after) {
        var findings = new ArrayList<String>();
        var report = new SealCheck(database, keys,
                finding -> findings.add((finding.seal().isPresent() ? finding.seal().getAsLong() + " " : "") + finding.what()))
                .check(SealCheck.Start.after(after));
        return new Checked(report, findings);
    }

    private static AuditKeys keys(String file) {
        return AuditKeys.of(Optional.of(new Secret(file)));
    }

    private static AuditSealer sealer(AuditKeys keys) {
        return sealer(keys, 1000);
    }

    private static AuditSealer sealer(AuditKeys keys, int most) {
        return new AuditSealer(database, TOPICS, new AuditSealer.Settings(keys, Duration.ZERO), most, () -> {}, new SimpleMeterRegistry());
    }

    private static long sealed() {
        return Long.parseLong(text("SELECT coalesce(sum(records), 0) FROM audit_seal"));
    }

    private static AuditLog.Entry entry(String resource) {
        return new AuditLog.Entry("tester", "tried", Optional.of("acme"), "operation", resource, Optional.of("why \"not\""),
                Map.of("amount", 1));
    }

    private static void append(String... resources) {
        database.inTransaction(connection -> {
            AuditLog.append(connection, Stream.of(resources).map(AuditSealsTest::entry).toList());
            return resources;
        });
    }

    private static Connection begin() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setSchema("chargeonce");
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(String sql) {
        database.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private static String text(String sql) {
        return database.withConnection(connection -> {
            try (var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
                return row.next() ? row.getString(1) : "nothing";
            }
        });
    }
}
