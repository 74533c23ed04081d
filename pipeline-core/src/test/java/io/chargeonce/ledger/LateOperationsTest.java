// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LateOperationsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private LedgerRows rows;

    @BeforeEach
    void open() {
        rows = new LedgerRows();
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private String listed(String id) {
        return rows.text("SELECT string_agg(list, ' ' ORDER BY list) FROM waiting WHERE operation_id = '" + id + "'");
    }

    private void succeed(String id) {
        rows.claim(id);
        rows.change(id, (connection, operation) -> operation.settleSucceeded("pi_1", Instant.now()));
    }

    private void wasAccepted(String age, String id) {
        rows.rewrite(
                ("UPDATE operation_state SET staged_at = now() - interval '%1$s', not_before = now() - interval '%1$s' WHERE "
                        + "operation_id = '%2$s'")
                        .formatted(age, id));
    }

    @Test
    void an_acceptance_that_is_not_claimed_is_listed_when_its_time_is_over_and_not_before() {
        String id = rows.accept();
        assertThat(rows.late(PATIENCE)).isZero();
        assertThat(listed(id)).isNull();
        wasAccepted("3 minutes", id);
        assertThat(rows.late(PATIENCE)).isEqualTo(1);
        assertThat(listed(id)).isEqualTo("work");
        assertThat(rows.late(PATIENCE)).isZero();
        rows.claim(id);
        assertThat(listed(id)).as("an operation that was late once stays listed").isEqualTo("query");
        rows.change(id, (connection, operation) -> operation.settleSucceeded("pi_1", Instant.now()));
        assertThat(listed(id)).isNull();
    }

    @Test
    void a_first_claim_whose_lease_has_run_out_is_listed_as_a_status_query_that_is_due() {
        String id = rows.accept();
        rows.claim(id);
        assertThat(rows.lateClaims()).isZero();
        assertThat(listed(id)).isNull();
        rows.rewrite("UPDATE operation_state SET resolve_at = now() - interval '1 second'");
        assertThat(rows.lateClaims()).isEqualTo(1);
        assertThat(listed(id)).isEqualTo("query");
        assertThat(rows.dueStatusQueries()).containsExactly(id);
    }

    @Test
    void a_claim_whose_attempt_is_known_by_another_way_is_listed_too() {
        String id = rows.accept();
        rows.claim(id);
        rows.execute("UPDATE payment_attempt SET state = 'succeeded', psp_reference = 'pi_told', decided_at = now()");
        rows.rewrite("UPDATE operation_state SET resolve_at = now() - interval '1 second'");
        assertThat(rows.lateClaims()).isEqualTo(1);
        assertThat(listed(id)).isEqualTo("query");
    }

    @Test
    void a_slow_first_claim_is_listed_before_its_lease_runs_out_and_is_due_then() {
        String id = rows.accept();
        rows.claim(id);
        rows.execute("UPDATE payment_attempt SET sent_at = now() - interval '6 seconds'");
        assertThat(rows.lateClaims()).isEqualTo(1);
        assertThat(listed(id)).isEqualTo("query");
        assertThat(rows.dueStatusQueries()).isEmpty();
    }

    @Test
    void a_row_that_commits_late_is_found_although_younger_ones_were_scanned_before() throws Exception {
        try (var slow = rows.connect()) {
            slow.setAutoCommit(false);
            String late = rows.accept(slow);
            String younger = rows.accept();
            wasAccepted("3 minutes", younger);
            assertThat(rows.late(PATIENCE)).isEqualTo(1);
            assertThat(rows.late(PATIENCE)).isZero();
            slow.commit();
            wasAccepted("3 minutes", late);
            assertThat(rows.late(PATIENCE)).isEqualTo(1);
            assertThat(listed(late)).isEqualTo("work");
        }
    }

    @Test
    void a_row_that_is_locked_is_found_by_a_later_look() throws Exception {
        String id = rows.accept();
        wasAccepted("3 minutes", id);
        try (var holder = rows.connect()) {
            holder.setAutoCommit(false);
            OperationTable.lock(holder, java.util.List.of(id));
            assertThat(rows.late(PATIENCE)).isZero();
            holder.rollback();
        }
        assertThat(rows.late(PATIENCE)).isEqualTo(1);
    }

    /** Otherwise no operation would be asked about or swept any more, not even listed ones. */
    @Test
    void a_look_that_postgres_refuses_ends_as_one_that_found_nothing() throws Exception {
        String id = rows.accept();
        wasAccepted("3 minutes", id);
        try (var another = rows.connect()) {
            another.setAutoCommit(false);
            another.createStatement().execute("LOCK TABLE looked_through");
            assertThat(rows.late(PATIENCE)).isZero();
            assertThat(rows.lateClaims()).isZero();
            another.rollback();
        }
        assertThat(rows.late(PATIENCE)).isEqualTo(1);
    }

    @Test
    void history_is_not_scanned_even_while_an_old_snapshot_is_open() throws Exception {
        try (var dump = rows.connect()) {
            dump.setAutoCommit(false);
            dump.setTransactionIsolation(java.sql.Connection.TRANSACTION_REPEATABLE_READ);
            dump.createStatement().execute("SELECT count(*) FROM operation");
            for (int i = 0; i < 300; i++) {
                succeed(rows.accept());
            }
            rows.late(PATIENCE);
            rows.lateClaims();
            String open = rows.accept();
            long before = rows.read(1);
            rows.late(PATIENCE);
            rows.lateClaims();
            assertThat(rows.read(1) - before).as("rows read by a scan").isLessThan(30);
            assertThat(rows.find(open).state()).isEqualTo(OperationState.ACCEPTED);
        }
    }

    /** A prepared transaction that never ends, a batch job's, one in another database: all hold back what is decided. */
    @Test
    void history_is_not_scanned_while_a_writing_transaction_is_open_and_its_late_rows_are_found() throws Exception {
        try (var batch = rows.connect()) {
            batch.setAutoCommit(false);
            String late = rows.accept(batch);
            for (int i = 0; i < 300; i++) {
                succeed(rows.accept());
            }
            look();
            long before = rows.read(1);
            look();
            assertThat(rows.read(1) - before).as("rows read by a scan").isLessThan(30);
            batch.commit();
            look();
            wasAccepted("3 minutes", late);
            assertThat(rows.late(PATIENCE)).isEqualTo(1);
            look();
            assertThat(rows.text("SELECT bool_and(open = '{}') FROM looked_through")).isEqualTo("t");
        }
    }

    private void look() {
        rows.late(PATIENCE);
        rows.lateClaims();
    }

    @Test
    void looks_at_an_idle_pipeline_write_nothing() {
        succeed(rows.accept());
        look();
        String written = rows.text("SELECT string_agg(xmin::text, ' ' ORDER BY what) FROM looked_through");
        rows.execute("CREATE TABLE another ()");
        look();
        assertThat(rows.text("SELECT string_agg(xmin::text, ' ' ORDER BY what) FROM looked_through")).isEqualTo(written);
    }

    @Test
    void a_scan_goes_on_part_by_part_and_never_past_what_is_still_under_way() {
        for (int i = 0; i < 25; i++) {
            succeed(rows.accept());
        }
        String open = rows.accept();
        succeed(rows.accept());
        assertThat(stretch("acceptances", 10)).isEqualTo("(0,t,f)");
        assertThat(stretch("acceptances", 10)).isEqualTo("(0,t,f)");
        assertThat(stretch("acceptances", 10)).isEqualTo("(0,f,f)");
        assertThat(rows.text(
                "SELECT before = accepted_xid FROM looked_through, operation WHERE what = 'acceptances' AND operation_id = '" + open + "'"))
                .isEqualTo("t");
        wasAccepted("3 minutes", open);
        assertThat(stretch("acceptances", 10)).isEqualTo("(1,f,f)");
        assertThat(stretch("acceptances", 10)).isEqualTo("(0,f,f)");
    }

    /** Rows of one transaction are read together, however many they are: otherwise a part with only such rows would end where it began. */
    @Test
    void more_rows_of_one_transaction_than_a_part_has_are_read_at_once() {
        for (int i = 0; i < 25; i++) {
            succeed(rows.accept());
        }
        rows.rewrite("UPDATE operation SET accepted_xid = '3'");
        String younger = rows.accept();
        wasAccepted("3 minutes", younger);
        assertThat(stretch("acceptances", 10)).isEqualTo("(0,t,f)");
        assertThat(stretch("acceptances", 10)).isEqualTo("(1,f,f)");
        assertThat(listed(younger)).isEqualTo("work");
    }

    private String stretch(String subject, int most) {
        return rows.text("SELECT list_late('%s', '2 minutes', %d)".formatted(subject, most));
    }

    /** Otherwise it would hold back the rows behind it until the clock gets there again. */
    @Test
    void rows_from_the_future_are_listed_because_the_clock_was_set_back() {
        String id = rows.accept();
        rows.rewrite("UPDATE operation_state SET staged_at = now() + interval '1 hour'");
        assertThat(rows.late(PATIENCE)).isEqualTo(1);
        assertThat(listed(id)).isEqualTo("work");
    }

    /**
     * Another server's mark, or this one's of a later time: a copy of its files has the same identifier, and may be refreshed with a dump.
     */
    @ParameterizedTest
    @CsvSource({"3, 1", "4000000000000, 1", "4000000000000, (SELECT system_identifier FROM pg_control_system())"})
    void in_a_restored_database_the_scans_begin_now_and_the_search_finds_what_was_under_way(String mark, String server) throws Exception {
        String old = rows.accept();
        wasAccepted("3 minutes", old);
        String claimed = rows.accept();
        rows.claim(claimed);
        rows.rewrite("UPDATE operation SET accepted_xid = '%s'".formatted(mark));
        rows.rewrite("UPDATE payment_attempt SET claimed_xid = '%s'".formatted(mark));
        rows.execute("INSERT INTO looked_through VALUES ('acceptances', '%1$s', '{}', %2$s), ('claims', '%1$s', '{}', %2$s)".formatted(mark,
                server));
        try (var meanwhile = rows.connect()) {
            meanwhile.setAutoCommit(false);
            String late = rows.accept(meanwhile);
            assertThat(stretch("acceptances", 10)).isEqualTo("(0,f,t)");
            assertThat(stretch("claims", 10)).isEqualTo("(0,f,t)");
            meanwhile.commit();
            String later = rows.accept();
            wasAccepted("3 minutes", late);
            wasAccepted("3 minutes", later);
            assertThat(stretch("acceptances", 10)).isEqualTo("(2,f,f)");
            assertThat(listed(late)).isEqualTo("work");
        }
        assertThat(search("0", 1_000)).isEqualTo("2");
        assertThat(listed(old)).isEqualTo("work");
        assertThat(listed(claimed)).isEqualTo("query");
    }

    /** A person's transaction that was left open, or a prepared one. */
    @Test
    void a_late_row_that_stays_locked_hides_nothing_that_is_behind_it() throws Exception {
        String held = rows.accept();
        var others = new java.util.ArrayList<String>();
        for (int i = 0; i < 25; i++) {
            others.add(rows.accept());
        }
        wasAccepted("3 minutes", held);
        others.forEach(id -> wasAccepted("3 minutes", id));
        try (var holder = rows.connect()) {
            holder.setAutoCommit(false);
            OperationTable.lock(holder, java.util.List.of(held));
            assertThat(stretch("acceptances", 10)).isEqualTo("(9,t,f)");
            assertThat(rows.late(PATIENCE)).isEqualTo(16);
            assertThat(rows.late(PATIENCE)).isZero();
            holder.rollback();
        }
        assertThat(rows.late(PATIENCE)).isEqualTo(1);
        assertThat(listed(held)).isEqualTo("work");
        look();
        assertThat(rows.text("SELECT open FROM looked_through WHERE what = 'acceptances'")).isEqualTo("{}");
    }

    @Test
    void what_is_listed_and_waits_for_nothing_is_taken_out_by_the_search() {
        String id = rows.accept();
        rows.claim(id);
        rows.rewrite("UPDATE operation_state SET resolve_at = now() - interval '1 second'");
        rows.lateClaims();
        rows.rewrite("UPDATE operation_state SET state = 'succeeded', resolve_at = NULL, settled_at = now()");
        rows.rewrite("SELECT setval('searched', 1, false)");
        search("0", 1_000);
        assertThat(listed(id)).isNull();
    }

    @Test
    void what_is_listed_without_an_operation_is_taken_out_by_the_search() {
        String id = rows.accept();
        wasAccepted("3 minutes", id);
        rows.late(PATIENCE);
        rows.rewrite(
                "INSERT INTO waiting (list, operation_id, lane, due_at) VALUES ('query', 'gone', 'stripe', now() - interval '1 day')");
        rows.rewrite("SELECT setval('searched', 1, false)");
        search("1 hour", 1_000);
        assertThat(listed("gone")).isNull();
        assertThat(listed(id)).isEqualTo("work");
    }

    /** Otherwise the row would come before due rows for as long as the operation waits elsewhere. */
    @Test
    void what_is_listed_where_it_does_not_wait_is_taken_out_and_stays_in_its_own_list() {
        String id = rows.accept();
        wasAccepted("3 minutes", id);
        rows.late(PATIENCE);
        rows.rewrite("INSERT INTO waiting (list, operation_id, lane, due_at) VALUES ('query', '%s', 'stripe', now() - interval '1 day')"
                .formatted(id));
        rows.rewrite("SELECT setval('searched', 1, false)");
        search("1 hour", 1_000);
        assertThat(rows.text("SELECT string_agg(list, ' ') FROM waiting WHERE operation_id = '%s'".formatted(id))).isEqualTo("work");
    }

    private String search(String still, int pages) {
        return rows.text("SELECT list_what_was_missed('%s', %d)".formatted(still, pages));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "work | state = 'accepted'",
        "work | state = 'parked', not_before = now() + interval '1 day'",
        "presentation | state = 'scheduled', represent_at = now() + interval '1 day'",
        "query | state = 'processing', psp = 'stripe', lease_token = gen_random_uuid(), resolve_at = now() - interval '1 second'",
        "query | state = 'unresolved', psp = 'stripe', resolve_at = now() + interval '1 day', listed = true",
        "purge | state = 'purged'"})
    void what_was_written_behind_the_triggers_is_found_by_the_search_and_listed(String list, String row) {
        String id = rows.accept();
        succeed(id);
        rows.late(PATIENCE);
        rows.lateClaims();
        rows.rewrite("UPDATE operation_state SET settled_at = NULL, staged_at = now() - interval '2 hours', %s WHERE operation_id = '%s'"
                .formatted(row, id));
        assertThat(search("3 hours", 100)).isEqualTo("0");
        assertThat(LateOperations.listMissed(rows.database)).isEqualTo(1);
        assertThat(listed(id)).isEqualTo(list);
        assertThat(LateOperations.listMissed(rows.database)).isZero();
        rows.rewrite("UPDATE waiting SET list = 'query', lane = 'elsewhere'");
        assertThat(search("1 hour", 100)).as("in a wrong list").isEqualTo("1");
        assertThat(listed(id)).isEqualTo(list);
    }

    @Test
    void the_search_goes_through_the_whole_table_part_by_part_and_begins_again() {
        for (int i = 0; i < 60; i++) {
            rows.accept();
        }
        for (int round = 0; round < 2; round++) {
            rows.rewrite("DELETE FROM waiting");
            int found = 0;
            for (int part = 0; part < 60 && found < 60; part++) {
                found += Integer.parseInt(search("0", 1));
            }
            assertThat(found).isEqualTo(60);
        }
    }

    @Test
    void a_row_that_the_owner_changes_by_hand_is_listed_at_once() {
        String id = rows.accept();
        rows.claim(id);
        rows.bury(id, "a_cause");
        rows.late(PATIENCE);
        assertThat(listed(id)).isNull();
        rows.execute("UPDATE operation_state SET state = 'accepted'");
        assertThat(listed(id)).isEqualTo("work");
    }

    @Test
    void all_that_waits_is_in_its_list_and_nothing_else_is() {
        String id = rows.accept();
        rows.claim(id);
        rows.change(id, (connection, operation) -> operation.leaveUnresolved("timeout", "", Instant.now(), Duration.ofMinutes(1)));
        assertThat(listed(id)).isEqualTo("query");
        rows.change(id, (connection, operation) -> operation.purge(Instant.now()));
        assertThat(listed(id)).isEqualTo("purge query");
        rows.change(id, (connection, operation) -> operation.endStatusQueries());
        assertThat(listed(id)).isEqualTo("purge");
        rows.change(id, (connection, operation) -> operation.restore());
        assertThat(listed(id)).isNull();
        rows.change(id, (connection, operation) -> operation.reenter(Instant.now(), Duration.ofHours(1)));
        assertThat(listed(id)).as("a merged one is not new: no scan finds it by its acceptance").isEqualTo("work");
        rows.change(id, (connection, operation) -> operation.claim(UUID.randomUUID(), "stripe", Instant.now().plusSeconds(30)));
        assertThat(listed(id)).isEqualTo("query");
        rows.change(id, (connection, operation) -> operation.presentAgain(Instant.now(), Duration.ofHours(1), "x", "", Instant.now()));
        assertThat(listed(id)).isEqualTo("presentation");
        rows.change(id, (connection, operation) -> operation.stagePresentation(Instant.now()));
        assertThat(listed(id)).isEqualTo("work");
    }
}
