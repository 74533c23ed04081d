package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.dlq.QueueRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class EraseTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static final String PERSON = "jane@example.com";

    @TempDir
    Path folder;

    @Test
    void what_is_personal_goes_from_a_finished_payment_and_the_moneys_trail_stays() {
        String payment = succeeded();
        String trail = trail(payment);
        Called dry = erase(payment);
        assertThat(dry.exit()).isZero();
        assertThat(dry.out()).contains("1 would be erased", "Nothing was changed", "at the PSP");
        assertThat(everythingOf(payment)).contains(PERSON, "Jane", "shoes");

        Called erased = erase(payment, "--yes");
        assertThat(erased.exit()).as(erased.err()).isZero();
        assertThat(erased.out()).contains("1 were erased", "It stays on Kafka's topics", "in backups");
        assertThat(everythingOf(payment)).doesNotContain(PERSON, "Jane", "shoes");
        assertThat(trail(payment)).isEqualTo(trail);
        assertThat(rows.text("SELECT concat_ws(' ', session_role, merchant_id, reason) FROM audit_record WHERE resource_id = '" + payment
                + "' AND action = 'personal_data.erased'")).isEqualTo("chargeonce_eraser acme request 4711");
    }

    @Test
    void erasing_twice_is_erasing_once() {
        String payment = succeeded();
        erase(payment, "--yes");
        String before = everythingOf(payment);
        Called again = erase(payment, "--yes", "--json");
        assertThat(again.exit()).isZero();
        assertThat(again.json().getFirst().path("result").asString()).isEqualTo("nothing_left");
        assertThat(everythingOf(payment)).isEqualTo(before);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'personal_data.erased'")).isEqualTo("1");
    }

    @Test
    void an_unfinished_payment_is_left_whole_and_the_others_are_erased() throws Exception {
        String finished = succeeded();
        String dead = rows.dead();
        fill(dead);
        Path list = Files.writeString(folder.resolve("payments"), finished + "\n" + dead + "\n\npay_nobody\n");
        Called erased = Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", "--from", list.toString(), "--reason", "r", "--yes");
        assertThat(erased.exit()).isEqualTo(1);
        assertThat(erased.out()).contains(dead + ": left whole, for it is not finished (dead)", "pay_nobody: left as it is", "1 were erased");
        assertThat(everythingOf(dead)).contains(PERSON);
        assertThat(everythingOf(finished)).doesNotContain(PERSON);
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "globex", dead, "--reason", "r").out())
                .as("another merchant's").contains("globex has no such payment");
    }

    @Test
    void a_purge_that_can_be_undone_is_not_finished() {
        String payment = rows.dead();
        fill(payment);
        Called.of(rows::open, "purge", payment, "--reason", "r", "--yes");
        assertThat(erase(payment, "--yes").out()).contains("not finished (purged)");
        sql("UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + payment + "'; TRUNCATE outbox");
        assertThat(erase(payment, "--yes").exit()).isZero();
        assertThat(Called.of(rows::open, "restore", payment, "--reason", "r", "--yes").exit()).isEqualTo(1);
        assertThat(everythingOf(payment)).doesNotContain(PERSON);
    }

    @Test
    void only_the_eraser_erases_and_a_reason_is_needed() {
        String payment = succeeded();
        for (String role : List.of("chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_ingest", "chargeonce_charge")) {
            Called refused = Called.of(() -> rows.openAs(role), "erase", "acme", payment, "--reason", "r", "--yes");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("to erase chargeonce_eraser");
        }
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", payment, "--yes").err()).contains("--reason is missing");
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", payment, "--reason", "card 4111111111111111").err())
                .contains("can be a card number");
        assertThat(everythingOf(payment)).contains(PERSON);
    }

    /** The function erases, and nothing else can be made of its way: not even its owner changes the money. */
    @Test
    void not_even_while_erasing_does_anything_of_the_money_change() {
        succeeded();
        for (String column : rows.text("SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'operation'::regclass AND attnum > 0 "
                + "AND NOT attisdropped AND attname NOT IN ('customer', 'description', 'receipt_email')").split(" ")) {
            assertThatThrownBy(() -> sql("BEGIN; SET LOCAL chargeonce.erasing = 'on'; UPDATE operation SET %1$s = %1$s".formatted(column)))
                    .as(column).hasRootCauseMessage("ERROR: operation: what was accepted never changes");
        }
        assertThatThrownBy(() -> sql("UPDATE operation SET customer = 'x'")).hasMessageContaining("only erase_personal_data");
        assertThatThrownBy(() -> sql("UPDATE payment_attempt SET request = 'x'")).hasMessageContaining("only erase_personal_data");
        assertThatThrownBy(() -> sql("UPDATE psp_observation SET detail = 'x'")).hasMessageContaining("only erase_personal_data");
    }

    /** With everything about a person that a payment can hold. */
    private String succeeded() {
        String payment = rows.charged();
        Called.of(rows::open, "merge", payment, "--yes");
        fill(payment);
        sql("TRUNCATE outbox");
        return payment;
    }

    private static void fill(String payment) {
        sql("""
            SET session_replication_role = replica;
            UPDATE operation SET customer = 'Jane', description = 'shoes', receipt_email = '%2$s' WHERE operation_id = '%1$s';
            UPDATE operation_state SET failure_message = '%2$s' WHERE operation_id = '%1$s';
            UPDATE payment_attempt SET request = 'receipt_email=%2$s', message = 'Jane' WHERE payment_id = '%1$s';
            UPDATE psp_observation SET detail = '%2$s' WHERE psp_key IN (SELECT psp_key FROM payment_attempt WHERE payment_id = '%1$s');
            UPDATE dead_letter SET message = '%2$s' WHERE dead_letter_id = '%1$s';
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, request_params, resource_id)
            SELECT merchant_id, idempotency_key, sha256('x'), 1, '/v1/payments', '{"amount":1,"customer":"Jane","receipt_email":"%2$s"}', operation_id
              FROM operation WHERE operation_id = '%1$s';
            SET session_replication_role = origin
            """.formatted(payment, PERSON));
    }

    private static String everythingOf(String payment) {
        return rows.text("""
            SELECT concat_ws(' ', (SELECT o::text FROM operation_now AS o WHERE operation_id = '%1$s'),
                             (SELECT string_agg(request_params::text, ' ') FROM idempotency_key WHERE resource_id = '%1$s'),
                             (SELECT string_agg(encode(request, 'escape') || concat_ws(' ', a::text), ' ') FROM payment_attempt AS a WHERE payment_id = '%1$s'),
                             (SELECT string_agg(p::text, ' ') FROM psp_observation AS p JOIN payment_attempt USING (psp_key) WHERE payment_id = '%1$s'),
                             (SELECT string_agg(d::text, ' ') FROM dead_letter AS d WHERE dead_letter_id = '%1$s'))
            """.formatted(payment));
    }

    private static String trail(String payment) {
        return rows.text("""
            SELECT concat_ws(' ', amount, currency, merchant_id, idempotency_key, payment_method, reference, state, step, psp, psp_reference,
                             (SELECT string_agg(concat_ws('/', psp_key, state, encode(request_sha256, 'hex'), psp_reference), ' ')
                                FROM payment_attempt WHERE payment_id = '%1$s'),
                             (SELECT encode(fingerprint, 'hex') FROM idempotency_key WHERE resource_id = '%1$s'))
              FROM operation_now WHERE operation_id = '%1$s'
            """.formatted(payment));
    }

    private static void sql(String sql) {
        rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute(sql);
                return sql;
            } catch (SQLException e) {
                connection.createStatement().execute("ROLLBACK");
                throw e;
            }
        });
    }

    private static Called erase(String payment, String... more) {
        var arguments = new ArrayList<>(List.of("erase", "acme", payment, "--reason", "request 4711"));
        arguments.addAll(List.of(more));
        return Called.of(() -> rows.openAs("chargeonce_eraser"), arguments.toArray(String[]::new));
    }
}
