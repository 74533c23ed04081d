// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A world broken on a topic, or between topics and rows: the invariant of that place is named with its payment, and no other. */
class TopicChecksTest {

    private static final String VISIT =
            "INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) VALUES ('%s', %d, 1, 1, "
                    + "'scheduled', '%s', '%s')";

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    @Test
    void outcome_agrees_a_settled_payment_without_an_event_misses_it() {
        String silent = sample.accept("silent", "declined", 2, 0);
        world.commitOffsets();
        world.breaks(Invariant.OUTCOME_AGREES, silent, "outcome_missing");
    }

    @Test
    void outcome_agrees_a_second_event_under_another_id_is_a_conflict() {
        sample.outcome(sample.charged, "succeeded", 2, 1, "pi_" + sample.charged, "another id");
        world.breaks(Invariant.OUTCOME_AGREES, sample.charged, "outcome_conflict");
    }

    @Test
    void outcome_agrees_an_event_says_what_the_row_says() {
        sample.outcome(sample.declined, "declined", 2, 1, "another reference");
        world.breaks(Invariant.OUTCOME_AGREES, sample.declined, "outcome_conflict");
    }

    @Test
    void hop_sound_a_payment_passed_over_below_the_committed_offset_is_lost() {
        String passed = sample.accept("passed", "accepted", 1, 0);
        world.commitOffsets();
        world.breaks(Invariant.HOP_SOUND, passed, "lost");
    }

    @Test
    void hop_sound_poison_below_the_committed_offset_is_a_dead_letter() {
        world.send("retry-1", "k", "{\"type\":\"something.else\"}");
        world.commitOffsets();
        assertThat(world.check().violations()).extracting(Violation::invariant).containsExactly(Invariant.HOP_SOUND);
    }

    @Test
    void hop_sound_a_record_with_another_amount_is_poison() {
        sample.request("requests", sample.charged, "charged", 1, 1, "1", Sample.at(0));
        world.commitOffsets();
        assertThat(world.check().violations()).extracting(Violation::invariant).containsExactly(Invariant.HOP_SOUND);
    }

    @Test
    void hop_sound_a_sound_record_is_never_dead_lettered_as_unprocessable() {
        long offset = sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        sample.poison("psn_2", "unprocessable", offset);
        world.commitOffsets();
        world.breaks(Invariant.HOP_SOUND, sample.charged);
    }

    @Test
    void hop_sound_where_a_topic_was_made_again_a_letter_of_the_old_one_hides_no_sound_record() {
        String passed = sample.accept("passed", "accepted", 1, 0);
        long next = sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        sample.poison("psn_2", "undecodable", next - 1);
        world.commitOffsets();
        world.breaks(Invariant.HOP_SOUND, passed, "lost");
    }

    @Test
    void never_early_by_a_millisecond_is_early() {
        world.sql("UPDATE payment_attempt SET sent_at = '" + Sample.at(7).minusMillis(1) + "' WHERE sequence = 2");
        world.breaks(Invariant.NEVER_EARLY, sample.retried, "early_retries");
    }

    @Test
    void never_early_where_the_first_record_is_lost_the_row_tells_when_the_wait_began() {
        String swept = sample.accept("swept", "dead", 3, 2);
        sample.attempt(swept, 1, "failed_definite", Sample.at(1));
        sample.attempt(swept, 2, "failed_definite", Sample.at(7));
        sample.letter(swept, "dead", 1);
        world.sql(VISIT.formatted(swept, 2, Sample.at(2), Sample.at(7)));
        sample.request("retry-1", swept, "swept", 2, 1299, "2", Sample.at(6));
        world.commitOffsets();
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE payment_attempt SET sent_at = '%s' WHERE operation_id = '%s' AND sequence = 2"
                .formatted(Sample.at(7).minusMillis(1), swept));
        world.breaks(Invariant.NEVER_EARLY, swept, "early_retries");
    }

    @Test
    void dlq_algebra_every_generation_is_a_merge_on_record() {
        world.sql("UPDATE operation_state SET generation = 2 WHERE operation_id = '" + sample.purged + "'");
        world.breaks(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void dlq_algebra_a_live_dead_letter_is_on_the_topic() {
        world.send("dlq", sample.dead, null, "chargeonce-revision", "2");
        world.breaks(Invariant.DLQ_ALGEBRA, sample.dead);
    }

    @Test
    void dlq_algebra_a_foreign_tombstone_is_found_and_forgiven_once_the_copy_is_back() {
        world.send("dlq", sample.dead, null);
        world.breaks(Invariant.DLQ_ALGEBRA, sample.dead);
        world.send("dlq", sample.dead, "{\"revision\":1}");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void dlq_algebra_a_dead_payment_is_a_live_dead_letter() {
        world.sql("UPDATE dead_letter SET state = 'merged' WHERE dead_letter_id = '" + sample.dead + "'");
        assertThat(world.check().violations()).extracting(Violation::invariant).containsOnly(Invariant.DLQ_ALGEBRA);
        assertThat(world.check().count("lost")).isEqualTo(1);
    }

    @Test
    void dlq_algebra_what_has_left_is_not_live_on_the_topic() {
        world.send("dlq", sample.purged, "{\"revision\":3}");
        world.breaks(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void dlq_algebra_each_change_has_its_audit_record() {
        world.sql("DELETE FROM audit_record WHERE resource_id = '" + sample.purged + "' AND action = 'dead_letter.left'");
        world.breaks(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void audit_sealed_each_seal_has_its_records_and_follows_the_one_before() {
        world.sql("""
                INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, mark, sealed_at)
                SELECT 1, 1, max(audit_id), count(*), sha256(''), sha256(''), now() FROM audit_record
                """);
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE audit_seal SET records = records - 1");
        assertThat(world.check().violations()).singleElement().satisfies(violation -> {
            assertThat(violation.invariant()).isEqualTo(Invariant.AUDIT_SEALED);
            assertThat(violation.toString()).contains("audit seal 1 covers ");
        });
        world.sql("UPDATE audit_seal SET records = records + 1",
                "INSERT INTO audit_record (actor, action, resource_type, resource_id) "
                        + "VALUES ('a', 'b', 'c', 'd'), ('a', 'b', 'c', 'd')",
                """
                INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, previous, mark, sealed_at)
                SELECT 2, max(audit_id), max(audit_id), 1, sha256(''), sha256(''), sha256(''), now() FROM audit_record
                """);
        assertThat(world.check().violations()).singleElement().asString().contains("audit seal 2 covers ", "should begin at");
    }

    @Test
    void what_the_audit_log_has_forgotten_by_its_own_word_is_missed_nowhere() {
        world.sql("""
                INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, mark, sealed_at)
                SELECT 1, 1, max(audit_id), count(*), sha256(''), sha256(''), now() FROM audit_record
                """, "DELETE FROM audit_record",
                "INSERT INTO audit_record (actor, action, resource_type, resource_id) VALUES ('a', 'b', 'c', 'd')");
        assertThat(world.check().violations()).extracting(Violation::invariant).contains(Invariant.AUDIT_SEALED, Invariant.DLQ_ALGEBRA);
        world.sql("""
                INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, previous, forgotten_to, mark, sealed_at)
                SELECT 2, to_id + 1, to_id + 1, 1, sha256(''), sha256(''), to_id, sha256(''), now() FROM audit_seal
                """);
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void poison_that_is_finished_between_the_rows_and_the_topics_breaks_nothing() throws Exception {
        long offset = world.send("requests", "k", "poison");
        try (var checks = Executors.newSingleThreadExecutor(); var other = world.connect(); var statement = other.createStatement()) {
            other.setAutoCommit(false);
            // The check has taken its picture of the rows when it comes to this table.
            statement.execute("LOCK TABLE audit_record");
            Future<CheckVerdict> verdict = checks.submit(world::check);
            await().until(() -> {
                try (var waiting =
                        statement.executeQuery("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'audit_record'::regclass")) {
                    return waiting.next();
                }
            });
            statement.execute("""
                    INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, source_partition, \
                    source_offset,
                                             sealed_record)
                    VALUES ('psn_2', 'dead', 'undecodable', 'not JSON', 1, '%s.requests', 0, %d, '\\x01')
                    """.formatted(world.prefix, offset));
            world.send("dlq", "psn_2", "{\"revision\":1}");
            world.commitOffsets();
            other.commit();
            assertThat(verdict.get().violations()).isEmpty();
            assertThat(verdict.get().kind()).isEqualTo(CheckVerdict.Kind.UNKNOWN);
        }
    }

    @Test
    void never_early_a_wait_in_a_tier_lasts_its_delay() {
        world.sql(VISIT.formatted(sample.retried, 2, Sample.at(2), Sample.at(7)));
        assertThat(world.check().violations()).isEmpty();
        world.sql(VISIT.formatted(sample.retried, 3, Sample.at(2), Sample.at(7).minusMillis(1)));
        world.breaks(Invariant.NEVER_EARLY, sample.retried, "early_retries");
    }

    @Test
    void never_early_waits_from_before_the_delays_are_known_are_not_compared_with_them() {
        world.sql(VISIT.formatted(sample.retried, 3, Sample.at(2), Sample.at(3)),
                "UPDATE payment_attempt SET sent_at = '" + Sample.at(3) + "' WHERE sequence = 2");
        world.tiersSince = Sample.at(3);
        assertThat(world.check().violations()).isEmpty();
        world.tiersSince = Sample.at(2);
        world.breaks(Invariant.NEVER_EARLY, sample.retried, "early_retries");
    }

    @Test
    void a_wait_in_a_tier_whose_delay_is_not_named_is_refused() {
        world.sql(VISIT.formatted(sample.retried, 3, Sample.at(2), Sample.at(7)), "UPDATE tier_visit SET tier = 4");
        assertThatThrownBy(world::check).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sample.retried + " waited in tier 4, but only 3 delays are named");
    }

    @Test
    void hop_sound_nothing_is_staged_for_the_main_topic_under_a_new_step_without_a_reason() {
        world.send("requests", sample.retried, """
                {"type":"payment.request","version":1,"payment_id":"%1$s","operation":"charge","operation_id":"%1$s","step":2,
                 "merchant":"acme","idempotency_key":"retried","amount":1299,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(sample.retried), "ce_id", sample.retried + "/2");
        world.commitOffsets();
        world.breaks(Invariant.HOP_SOUND, sample.retried);
    }

    @Test
    void a_person_may_end_a_wait_that_the_audit_log_names_and_no_other() {
        world.sql(VISIT.formatted(sample.retried, 2, Sample.at(2), Sample.at(7)),
                "UPDATE payment_attempt SET sent_at = '" + Sample.at(4) + "' WHERE sequence = 2");
        world.breaks(Invariant.NEVER_EARLY, sample.retried, "early_retries");
        world.send("requests", sample.retried, """
                {"type":"payment.request","version":1,"payment_id":"%1$s","operation":"charge","operation_id":"%1$s","step":2,
                 "merchant":"acme","idempotency_key":"retried","amount":1299,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(sample.retried), "ce_id", sample.retried + "/2", "ce_time", Sample.at(3).toString());
        world.commitOffsets();
        world.sql("""
                INSERT INTO audit_record (at, actor, action, resource_type, resource_id, data)
                VALUES ('%s', 'ann', 'dlq.retried_now', 'operation', '%s', '{"step":1}')
                """.formatted(Sample.at(3), sample.retried));
        assertThat(world.check().violations()).as("of another wait").extracting(Violation::invariant).contains(Invariant.NEVER_EARLY);
        world.sql("UPDATE audit_record SET data = '{\"step\":2}' WHERE action = 'dlq.retried_now'");
        assertThat(world.check().violations()).isEmpty();
        world.recovery = Optional.of(new Recovery(World.START, Duration.ofSeconds(5), 0, 0, true, List.of()));
        assertThat(world.check().violations()).as("its two records are one staging more than there was").isEmpty();
        world.sql("UPDATE audit_record SET at = '" + Sample.at(5) + "' WHERE action = 'dlq.retried_now'");
        assertThat(world.check().violations()).as("it went before the person").extracting(Violation::invariant)
                .contains(Invariant.NEVER_EARLY);
    }

    @Test
    void hop_sound_no_attempt_is_older_than_the_record_that_it_waited_for() {
        var books = new ShareContents(Share.EVERYTHING, new CheckTotals());
        CheckedPayment payment = books.payment("pay_1");
        payment.state = State.SCHEDULED;
        payment.generation = 1;
        payment.sent(1_000_000);
        payment.sent(8_000_000);
        var checks = new PaymentChecks(books, CheckEvidence.of("", "", "", "none", List.of(World.TIER), List.of()), false);
        payment.waited(new CheckedPayment.Retry(2, 2, 1, 2_000_000, 8_100_000));
        checks.check(payment);
        assertThat(books.findings.violations()).isEmpty();
        payment.waited(new CheckedPayment.Retry(3, 2, 1, 2_500_000, 8_900_000));
        payment.beganToWait(3, 2_400_000);
        checks.check(payment);
        assertThat(books.findings.violations()).as("its first record is lost").isEmpty();
        payment.beganToWait(3, 2_500_000);
        checks.check(payment);
        assertThat(books.findings.violations()).extracting(Violation::toString).containsExactly(
                "hop-sound: pay_1 attempt 2 started 0.900 s before the record that it waited for was in tier 1");
    }

    @Test
    void outcome_agrees_a_purge_that_can_be_undone_no_more_is_told_as_what_it_is() {
        world.sql("UPDATE operation_state SET settled_at = '" + Sample.at(60) + "' WHERE operation_id = '" + sample.purged + "'");
        world.breaks(Invariant.OUTCOME_AGREES, sample.purged, "outcome_missing");
        world.send("outcomes", sample.purged, """
                {"type":"payment.outcome","version":1,"payment_id":"%s","operation":"charge","merchant":"acme","idempotency_key":"purged",
                 "status":"purged","amount":1299,"currency":"EUR","psp":"stripe","attempts":1,"revision":2,"settled_at":"%s"}"""
                .formatted(sample.purged, Sample.at(60)), "ce_id", sample.purged + "/2/outcome");
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE dead_letter SET state = 'dead' WHERE operation_id = '" + sample.purged + "'");
        assertThat(world.check().violations()).extracting(Violation::toString)
                .contains("conservation: " + sample.purged + " is purged by its outcome event and a dead letter as well");
    }

    @Test
    void no_card_data_neither_on_topics_nor_in_rows_nor_in_logs() throws Exception {
        world.planted.add("4242424242424242");
        world.logs.add(world.log("all is well\nretrying 4242424242424242\n"));
        world.send("outcomes", "k", "{\"settled_at\":\"2099-01-01T00:00:00Z\",\"note\":\"4242424242424242\"}");
        world.sql("UPDATE dead_letter SET message = 'card 4242424242424242'  WHERE dead_letter_id = 'psn_1'");
        assertThat(world.check().violations()).hasSize(3).extracting(Violation::invariant).containsOnly(Invariant.NO_CARD_DATA);
    }

    @Test
    void no_card_data_in_any_table() {
        world.planted.add("4242424242424242");
        world.sql("INSERT INTO merchant (merchant_id) VALUES ('4242424242424242')");
        assertThat(world.check().violations()).extracting(Violation::toString)
                .containsExactly("no-card-data: a planted string is stored in merchant 4242424242424242");
    }

    @Test
    void no_card_data_in_poison_that_is_not_sealed() {
        world.planted.add("4242424242424242");
        assertThat(world.check().violations()).isEmpty();
        world.sql(
                "UPDATE dead_letter SET sealed_record = '\\x00' || convert_to('card 4242424242424242', 'UTF8') WHERE dead_letter_id = "
                        + "'psn_1'");
        world.send("outcomes", "k", "{\"settled_at\":\"2099-01-01T00:00:00Z\",\"source\":{\"sealed\":\"%s\"}}"
                .formatted(Base64.getEncoder().encodeToString("card 4242424242424242".getBytes(StandardCharsets.UTF_8))));
        assertThat(world.check().violations()).hasSize(2).extracting(Violation::invariant).containsOnly(Invariant.NO_CARD_DATA);
    }

    @Test
    void alive_after_heal_no_record_is_refused_by_the_broker() {
        world.sql("INSERT INTO outbox (shard, topic, record_key, value, headers, refusal) VALUES (0, 'x', '%s', '', '{}', 'too large')"
                .formatted(sample.charged));
        world.breaks(Invariant.ALIVE_AFTER_HEAL, sample.charged);
    }
}
