// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.dlq.QueueRows;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the broker refuses holds back a payment until a person does something about it. */
class RefusedTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }

    private static String stage(String topic, String key, String refusal) {
        return rows.text("""
                INSERT INTO outbox (shard, topic, record_key, value, headers, staged_at, refusal)
                VALUES (0, '%s', '%s', 'secret', '{}', now() - interval '2 hours', %s) RETURNING outbox_id
                """.formatted(topic, key, refusal == null ? "NULL" : "'" + refusal + "'"));
    }

    private static String outbox() {
        return rows
                .text("SELECT coalesce(string_agg(concat_ws(' ', topic, record_key, refusal), '; ' ORDER BY outbox_id), '') FROM outbox");
    }

    private static String audited() {
        return rows.text("SELECT coalesce(string_agg(concat_ws(' ', action, resource_id, merchant_id, session_role, actor, reason), '; ' "
                + "ORDER BY audit_id), '') FROM audit_record WHERE resource_type = 'outbox'");
    }

    private static String payment() {
        return rows.accepted("acme");
    }

    private static void emptyOutbox() {
        rows.text("WITH gone AS (DELETE FROM outbox RETURNING 1) SELECT count(*) FROM gone");
    }

    @Test
    void it_is_shown_why_and_what_waits_behind_it_and_not_what_is_in_it() {
        String id = payment();
        emptyOutbox();
        stage("payments.outcomes", id, "too large");
        stage("payments.outcomes", id, null);
        stage("payments.outcomes", "pay_other", null);
        Called shown = call("refused");
        assertThat(shown.exit()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("REFUSED BECAUSE", id, "2h", "too large", "1 in all.").doesNotContain("pay_other", "secret");
        assertThat(call("refused", "--json").json()).singleElement().satisfies(line -> {
            assertThat(line.path("behind").asInt()).isEqualTo(1);
            assertThat(line.path("topic").asString()).isEqualTo("payments.outcomes");
            assertThat(line.path("bytes").asInt()).isEqualTo(6);
        });
        assertThat(call("refused", "--topic", "payments.dlq").out()).contains("The broker refuses no such record.");
        Called other = call("refused", "pay_other");
        assertThat(other.exit()).isEqualTo(1);
        assertThat(other.err()).contains("refuses no record of pay_other");
    }

    @Test
    void a_retry_is_made_and_audited_only_with_yes() {
        String id = payment();
        emptyOutbox();
        stage("payments.outcomes", id, "too large");
        assertThat(call("refused", "--all", "--retry").out()).contains("Nothing was changed. With --yes they are offered");
        assertThat(outbox()).isEqualTo("payments.outcomes " + id + " too large");
        Called done = call("refused", "--all", "--retry", "--yes");
        assertThat(done.out()).as(done.err()).contains("1 offered again, as run_", " by ann.");
        assertThat(outbox()).isEqualTo("payments.outcomes " + id);
        assertThat(audited()).isEqualTo("dlq.record.retried " + id + " acme ann ann");
        assertThat(call("refused").out()).contains("The broker refuses no record.");
    }

    @Test
    void a_drop_says_what_will_be_missing_and_leaves_the_hash_in_the_audit_log() {
        String id = payment();
        emptyOutbox();
        stage("payments.outcomes", id, "too large");
        stage("payments.outcomes", id, null);
        stage("payments.retry-1", "pay_other", "invalid");
        Called dry = call("refused", id, "--drop", "--reason", "its reader is gone");
        assertThat(dry.out()).contains("Readers of the outcomes never learn this one", "cannot be undone").doesNotContain("sweeper");
        assertThat(audited()).isEmpty();
        assertThat(call("refused", id, "--drop", "--reason", "its reader is gone", "--yes").out()).contains("1 deleted, as run_");
        assertThat(outbox()).isEqualTo("payments.outcomes " + id + "; payments.retry-1 pay_other invalid");
        assertThat(audited()).isEqualTo("dlq.record.dropped " + id + " acme ann ann its reader is gone");
        assertThat(rows.text("SELECT data->>'sha256' FROM audit_record WHERE action = 'dlq.record.dropped'"))
                .isEqualTo(rows.text("SELECT encode(sha256('secret'), 'hex')"));
        assertThat(call("why", id).out()).contains("its reader is gone");
        assertThat(call("audit", "--action", "dlq.record.dropped").out()).contains("its reader is gone");
        assertThat(call("refused", "pay_other", "--drop", "--reason", "r").out()).contains("the sweeper stages its work again");
    }

    @Test
    void what_is_called_wrongly_changes_nothing() {
        stage("payments.outcomes", "pay_other", "too large");
        for (String[] wrong : List.of(new String[] {"refused", "--drop", "--all"},
                new String[] {"refused", "--retry"}, new String[] {"refused", "--all"}, new String[] {"refused", "--yes"},
                new String[] {"refused", "--retry", "--drop", "--all", "--reason", "r"},
                new String[] {"refused", "pay_other", "--all", "--retry"},
                new String[] {"refused", "pay_other", "--drop", "--yes", "--reason", "4111 1111 1111 1111"})) {
            assertThat(call(wrong).exit()).as(String.join(" ", wrong)).isEqualTo(2);
        }
        assertThat(outbox()).contains("too large");
    }

    @Test
    void the_database_drops_no_seal_and_nothing_that_is_on_its_way() {
        String seal = stage("payments.audit-seals", "seal", "too large");
        String onItsWay = stage("payments.outcomes", "pay_other", null);
        Called command = call("refused", "seal", "--drop", "--reason", "r", "--yes");
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains("never dropped");
        assertThatThrownBy(() -> clear(seal, "'drop'", "'r'")).hasMessageContaining("a seal of the audit log is never dropped");
        assertThatThrownBy(() -> clear(onItsWay, "'drop'", "' '")).hasMessageContaining("dropped for a reason");
        assertThatThrownBy(() -> clear(onItsWay, "NULL", "'r'")).hasMessageContaining("retried or dropped");
        assertThat(clear(onItsWay, "'drop'", "'r'")).isEqualTo("0");
        assertThat(outbox()).contains("payments.audit-seals seal too large", "payments.outcomes pay_other");
        Called reader = Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "refused", "--all", "--retry", "--yes");
        assertThat(reader.err()).contains("this role may not do that");
        assertThat(Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "refused").out()).contains("seal");
    }

    private static String clear(String id, String what, String why) {
        try (var database = rows.open().database()) {
            return database.inTransaction(connection -> {
                try (var statement = connection.createStatement();
                     var row = statement.executeQuery("SELECT clear_refusals('{%s}', %s, %s, 'run_1', NULL)".formatted(id, what, why))) {
                    row.next();
                    return row.getString(1);
                }
            });
        }
    }
}
