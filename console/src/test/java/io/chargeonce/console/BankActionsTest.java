// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people see of banks' files in the console, and decide about them. */
class BankActionsTest {

    private static ConsoleWorld world;
    private static Browser operator;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
        operator = world.signIn(ConsoleWorld.OPERATOR);
    }

    @BeforeEach
    void fill() {
        change("""
                SET session_replication_role = replica;
                TRUNCATE bank, bank_batch, bank_batch_item, bank_file_part, bank_file_in, bank_line RESTART IDENTITY CASCADE;
                INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('bank', now(), 300);
                INSERT INTO bank_batch (bank, kind, currency, message_id, file_name, due_on, items, total, state, sha256, size, sent_at,
                       answer_due)
                VALUES ('bank', 'debit', 'EUR', 'CO-1', 'pain.008-CO-1.xml', '2026-03-04', 1, 1299, 'sent', sha256(''), 9, now(),
                        now() - interval '1 hour'),
                       ('bank', 'debit', 'EUR', 'CO-2', 'pain.008-CO-2.xml', '2026-03-04', 1, 700, 'accepted', sha256(''), 9, now(), NULL);
                INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance,
                                             batch_id, answer_due)
                SELECT 'key-' || batch_id, 'bank', 'debit', total, 'EUR', 'mandate_m', 'pay_' || batch_id, 'order-7', batch_id, now()
                  FROM bank_batch;
                INSERT INTO bank_file_part (file, part, sealed) VALUES ('out/CO-1', 0, ''), ('out/CO-2', 0, '');
                INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, quarantined)
                VALUES (5, 'bank', 'garbage.xml', sha256('garbage'), 7, 'it is no well-formed XML, or is cut off');
                INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, happened_on, state, note)
                VALUES (5, 'bank', 'booked', 'a-stranger', 4200, 'EUR', true, '2026-03-05', 'unmatched', 'no attempt of ours')
                """);
    }

    private static void change(String sql) {
        world.rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute("SET search_path = chargeonce; " + sql + "; RESET session_replication_role");
            }
        });
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @Test
    void a_reader_sees_files_and_what_fits_nothing_with_their_money_and_decides_nothing() {
        Browser reader = world.signIn(ConsoleWorld.READER);
        Browser.Answer all = reader.get("/api/bank");
        assertThat(all.status()).as(all.text()).isEqualTo(200);
        assertThat(all.textAt("/items/0/message")).isEqualTo("CO-2");
        assertThat(all.at("/money/0/amount").asLong()).isEqualTo(1999);
        assertThat(reader.get("/api/bank?open=1").textAt("/items/0/message")).isEqualTo("CO-1");
        assertThat(reader.get("/api/bank?open=1").at("/items/0/late").asBoolean()).isTrue();
        Browser.Answer one = reader.get("/api/bank/files/1");
        assertThat(one.textAt("/of/0/payment")).isEqualTo("pay_1");
        assertThat(one.at("/of/0/amount").asLong()).isEqualTo(1299);
        assertThat(reader.get("/api/bank/files/99").status()).isEqualTo(404);
        assertThat(reader.get("/api/bank/files/x").status()).isEqualTo(404);
        assertThat(reader.post("/api/bank/files/1/resend", Map.of("reason", "lost")).status()).isEqualTo(403);
        assertThat(reader.post("/api/bank/unmatched/line/1", Map.of("reason", "no", "decision", "closed")).status()).isEqualTo(403);
        assertThat(world.rows.text("SELECT count(*) FROM bank_batch WHERE resends > 0")).isEqualTo("0");
    }

    @Test
    void an_operator_has_a_file_sent_once_more_with_a_reason_and_only_one_that_was_never_answered() {
        assertThat(operator.post("/api/bank/files/1/resend", Map.of()).status()).isEqualTo(400);
        assertThat(operator.post("/api/bank/files/2/resend", Map.of("reason", "answered")).status()).isEqualTo(409);
        Browser.Answer done = operator.post("/api/bank/files/1/resend", Map.of("reason", "the bank has lost it"));
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        assertThat(operator.get("/api/bank/files/1").textAt("/state")).isEqualTo("rendered");
        assertThat(world.rows.text("SELECT actor || '/' || origin || '/' || reason FROM audit_record WHERE action = 'dlq.bank_resend'"))
                .isEqualTo("operator/console at 127.0.0.1/the bank has lost it");
    }

    @Test
    void what_is_set_aside_leaves_the_list_by_a_persons_decision_with_a_reason() {
        assertThat(operator.get("/api/bank").at("/unmatched")).hasSize(2);
        assertThat(operator.get("/api/bank").at("/unmatched_money/0/amount").asLong()).isEqualTo(4200);
        assertThat(operator.post("/api/bank/unmatched/line/1", Map.of("decision", "closed")).status()).isEqualTo(400);
        assertThat(operator.post("/api/bank/unmatched/line/1", Map.of("decision", "eaten", "reason", "r")).status()).isEqualTo(400);
        assertThat(operator.post("/api/bank/unmatched/line/1", Map.of("decision", "closed", "reason", "the bank erred")).status())
                .isEqualTo(200);
        assertThat(operator.post("/api/bank/unmatched/line/1", Map.of("decision", "closed", "reason", "again")).status()).isEqualTo(409);
        assertThat(operator.post("/api/bank/unmatched/file/5", Map.of("decision", "closed", "reason", "sent again")).status())
                .isEqualTo(200);
        assertThat(operator.get("/api/bank").at("/unmatched")).isEmpty();
    }
}
