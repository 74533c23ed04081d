package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditChainTest {

    private static LedgerRows rows;

    @BeforeAll
    static void open() {
        rows = new LedgerRows();
    }

    @AfterAll
    static void close() {
        rows.close();
    }

    private static String fourDeeds() {
        String id = rows.accept();
        append(id, "first");
        append(id, "second", "third");
        append(id, "fourth");
        return id;
    }

    private static void append(String id, String... actions) {
        rows.database.inTransaction(connection -> {
            AuditLog.append(connection, List.of(actions).stream().map(action -> AuditLog.Entry.of("tester", action, rows.find(id),
                    Optional.of("why \u0001 \"not\""), Map.of("amount", 1))).toList());
            return id;
        });
    }

    private static OptionalLong firstBroken(String id) {
        return rows.database.withConnection(connection -> AuditChain.firstBroken(connection, id));
    }

    @Test
    void each_record_follows_from_the_one_before_it_also_within_one_statement() {
        String id = fourDeeds();
        assertThat(firstBroken(id)).isEmpty();
        assertThat(rows.text("SELECT count(DISTINCT prev_hash) FROM audit_record WHERE resource_id = '" + id + "'")).isEqualTo("3");
    }

    @Test
    void chains_of_different_payments_know_nothing_of_each_other() {
        String one = fourDeeds();
        String other = fourDeeds();
        rows.execute("UPDATE audit_record SET reason = 'other' WHERE resource_id = '" + one + "'");
        assertThat(firstBroken(one)).isPresent();
        assertThat(firstBroken(other)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE audit_record SET actor = 'somebody else' WHERE action = 'second'",
            "UPDATE audit_record SET at = at + interval '1 microsecond' WHERE action = 'second'",
            "UPDATE audit_record SET data = '{\"amount\":2}' WHERE action = 'second'",
            "DELETE FROM audit_record WHERE action = 'second'"})
    void a_record_that_was_changed_or_taken_away_shows(String forgery) {
        String id = fourDeeds();
        rows.execute(forgery + " AND resource_id = '" + id + "'");
        assertThat(firstBroken(id)).isPresent();
    }

    private static final String SCANS = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relid = 'audit_record'::regclass";

    @Test
    void the_record_before_is_found_by_the_index_even_if_that_was_planned_while_the_log_was_empty() {
        String id = rows.accept();
        var entry = AuditLog.Entry.of("tester", "first", rows.find(id), Optional.empty(), Map.of());
        rows.execute("TRUNCATE audit_record");
        rows.execute("VACUUM ANALYZE audit_record");
        rows.database.inTransaction(connection -> {
            long before = scans(connection);
            AuditLog.append(connection, List.of(entry, entry, entry));
            assertThat(scans(connection)).as("whole tables read").isEqualTo(before);
            return id;
        });
    }

    private static long scans(Connection connection) throws SQLException {
        try (var statement = connection.createStatement(); var result = statement.executeQuery(SCANS)) {
            result.next();
            return result.getLong(1);
        }
    }
}
