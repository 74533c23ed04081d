// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.due.OldestDue;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What alerts read of the rows. */
class BacklogTest {

    private static EngineFixture books;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Instant now = Instant.EPOCH;
    private Duration ofALook = Duration.ZERO;
    private final Backlog backlog = new Backlog(books.charging, () -> now = now.plus(ofALook), meters);

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void forget() {
        books.forget();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static final String DEAD_LETTER = """
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, state, cause, message, generation, amount,
                                     currency, died_at)
            VALUES ('%1$s', '%1$s', '%1$s', 'acme', '%2$s', 'psp_unwell', 'it is away', 1, 1500, 'EUR',
                    clock_timestamp() - interval '%3$s')
            """;

    private static final String BANK_LINES = """
            INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('bank', now(), 60);
            INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, message, message_id)
            VALUES (1, 'bank', 'f', sha256('f'), 1, 'camt.054', 'm');
            INSERT INTO bank_line (file_id, bank, kind, psp_key, state, taken_at)
            VALUES (1, 'bank', 'rejected', 'a', 'unmatched', clock_timestamp() - interval '2 hours'),
                   (1, 'bank', 'rejected', 'b', 'unmatched', clock_timestamp()),
                   (1, 'bank', 'rejected', 'c', 'closed', clock_timestamp() - interval '3 hours');
            """;

    @Test
    void what_waits_for_a_person_is_counted_with_its_money_and_the_age_of_its_oldest() {
        books.rewrite(DEAD_LETTER.formatted("old", "dead", "2 hours"));
        books.rewrite(DEAD_LETTER.formatted("new", "dead", "14 minutes"));
        books.rewrite(DEAD_LETTER.formatted("merged", "merged", "3 hours"));
        books.rewrite("INSERT INTO outbox (shard, topic, record_key, headers, staged_at, refusal) "
                + "VALUES (0, 'payments.outcomes', 'pay', '{}', clock_timestamp() - interval '1 hour', 'too large')");
        books.rewrite(BANK_LINES);

        backlog.runOnce();

        assertThat(count("dead_letter", "psp_unwell")).isEqualTo(2);
        assertThat(meters.get("chargeonce.backlog.minor.units").tags("what", "dead_letter", "currency", "EUR").gauge().value())
                .isEqualTo(3000);
        assertThat(oldest("dead_letter")).isBetween(7200.0, 7900.0);
        assertThat(count("dead_letter_new", "")).as("of the last quarter of an hour").isEqualTo(1);
        assertThat(count("refused_record", "")).isEqualTo(1);
        assertThat(oldest("refused_record")).isBetween(3600.0, 4300.0);
        assertThat(count("bank_line", "")).as("those that fit nothing and are not closed").isEqualTo(2);
        assertThat(oldest("bank_line")).isBetween(7200.0, 7900.0);
        books.rewrite("DELETE FROM bank_line; DELETE FROM bank_file_in; DELETE FROM bank");
    }

    private static final String DISPUTE = """
            INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank,
                                 refundable, answered, due_by, revision)
            VALUES ('stripe', '%s', '%s', 700, 'EUR', '', 'opened', 20, false, 'taken', 1, false, %s, now() + interval '%s', 1)
            """;

    @Test
    void disputes_that_wait_for_an_answer_are_counted_before_their_time_is_over() {
        String payment = books.accept("disputed");
        books.rewrite(DISPUTE.formatted("du_soon", payment, false, "1 day"));
        books.rewrite(DISPUTE.formatted("du_later", payment, false, "9 days"));
        books.rewrite(DISPUTE.formatted("du_answered", payment, true, "1 day"));
        books.rewrite(DISPUTE.formatted("du_over", payment, false, "-1 day"));
        backlog.runOnce();
        assertThat(count("dispute_to_answer", "")).isEqualTo(1);
        books.rewrite("DELETE FROM dispute");
    }

    @Test
    void a_debit_is_no_unknown_outcome_until_its_banks_time_is_over() {
        String id = books.accept("order-2");
        books.rewrite(UNRESOLVED.formatted(id));
        books.rewrite("INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due) "
                + "VALUES ('debit', 'bank', 'debit', 1299, 'EUR', 'mandate', 'pay', 'order-2', now() + interval '3 days')");

        backlog.runOnce();
        assertThat(meters.find("chargeonce.backlog").tag("what", "unresolved").gauges()).isEmpty();

        books.rewrite("UPDATE bank_batch_item SET answer_due = now() - interval '1 minute'");
        now = now.plusSeconds(60);
        backlog.runOnce();
        assertThat(count("unresolved", "")).isEqualTo(1);
        books.rewrite("DELETE FROM bank_batch_item");
    }

    private static final String UNRESOLVED = """
            UPDATE operation_state SET state = 'unresolved', psp = 'bank', unresolved_since = now(), resolve_at = now() + interval '1 hour'
             WHERE operation_id = '%1$s';
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                                         request_sha256, sent_at, key_valid_until)
            VALUES ('debit', '%1$s', '%1$s', 'charge', 1, 1, 'bank', 'unknown', '', sha256(''), now(), now());
            INSERT INTO waiting (list, operation_id, lane, due_at) VALUES ('query', '%1$s', 'bank', now()) ON CONFLICT DO NOTHING
            """;

    @Test
    void the_longer_a_count_takes_the_longer_it_rests() {
        ofALook = Duration.ofSeconds(1);
        backlog.runOnce();
        books.rewrite(DEAD_LETTER.formatted("new", "dead", "1 minute"));

        now = now.plusSeconds(18);
        backlog.runOnce();
        assertThat(count("dead_letter_new", "")).as("it rests for twenty seconds").isZero();

        now = now.plusSeconds(2);
        backlog.runOnce();
        assertThat(count("dead_letter_new", "")).isEqualTo(1);
    }

    @Test
    void the_oldest_due_work_of_a_topic_is_known_where_no_process_consumes_it() {
        var due = new OldestDue(books.charging, books.topics, meters);
        String id = books.accept("order-1");
        books.rewrite("UPDATE operation_state SET state = 'scheduled', tier = 2, not_before = clock_timestamp() - interval '5 minutes' "
                + "WHERE operation_id = '" + id + "'");

        due.runOnce();
        assertThat(dueSince(2)).isBetween(300.0, 1000.0);
        assertThat(dueSince(1)).isZero();

        books.rewrite(
                "INSERT INTO hold (kind, name, action, reason, held_by, since) VALUES ('tier', '2', 'pause', 'a drill', 'ann', now())");
        due.runOnce();
        assertThat(dueSince(2)).as("a person has paused the tier").isZero();

        books.rewrite("DELETE FROM hold; UPDATE operation_state SET not_before = clock_timestamp() + interval '5 minutes' "
                + "WHERE operation_id = '" + id + "'");
        due.runOnce();
        assertThat(dueSince(2)).isZero();
        books.forget();
    }

    private double dueSince(int tier) {
        return meters.get("chargeonce.work.due.seconds").tag("topic", books.topics.ofTier(tier)).gauge().value();
    }

    private double count(String what, String cause) {
        return meters.get("chargeonce.backlog").tags("what", what, "cause", cause).gauge().value();
    }

    private double oldest(String what) {
        return meters.get("chargeonce.backlog.oldest.seconds").tag("what", what).gauge().value();
    }
}
