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

    @Test
    void what_waits_for_a_person_is_counted_with_its_money_and_the_age_of_its_oldest() {
        books.rewrite(DEAD_LETTER.formatted("old", "dead", "2 hours"));
        books.rewrite(DEAD_LETTER.formatted("new", "dead", "14 minutes"));
        books.rewrite(DEAD_LETTER.formatted("merged", "merged", "3 hours"));
        books.rewrite("INSERT INTO outbox (shard, topic, record_key, headers, staged_at, refusal) "
                + "VALUES (0, 'payments.outcomes', 'pay', '{}', clock_timestamp() - interval '1 hour', 'too large')");

        backlog.runOnce();

        assertThat(count("dead_letter", "psp_unwell")).isEqualTo(2);
        assertThat(meters.get("chargeonce.backlog.minor.units").tags("what", "dead_letter", "currency", "EUR").gauge().value())
                .isEqualTo(3000);
        assertThat(oldest("dead_letter")).isBetween(7200.0, 7900.0);
        assertThat(count("dead_letter_new", "")).as("of the last quarter of an hour").isEqualTo(1);
        assertThat(count("refused_record", "")).isEqualTo(1);
        assertThat(oldest("refused_record")).isBetween(3600.0, 4300.0);
    }

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
