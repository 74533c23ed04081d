// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.Json;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReaperTest {

    private static final SimpleMeterRegistry METERS = new SimpleMeterRegistry();
    private static IngestWorld world;
    private static Database database;
    private static Reaper reaper;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        String url = TestStack.newDatabase();
        world = IngestWorld.start(url).withoutReaper();
        database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 2);
        reaper = new Reaper(database, METERS);
    }

    @BeforeEach
    void begin() {
        reaper.beginAgain();
    }

    @AfterAll
    static void stop() {
        database.close();
        world.close();
    }

    /** A payment of that age, in that state. */
    private HttpResponse<String> payment(String age, String state) {
        HttpResponse<String> answer = world.pay(key, BODY);
        aged(age);
        world.become(key, "state = '%s'".formatted(state));
        return answer;
    }

    private void aged(String age) {
        world.execute("""
                UPDATE idempotency_key SET created_at = now() - interval '%1$s' WHERE idempotency_key = '%2$s';
                SET session_replication_role = replica;
                UPDATE operation SET accepted_at = now() - interval '%1$s' WHERE idempotency_key = '%2$s' AND kind = 'charge';
                RESET session_replication_role""".formatted(age, key));
    }

    private long kept(String what) {
        return world.count("SELECT count(" + what + ") FROM idempotency_key WHERE idempotency_key = '" + key + "'");
    }

    @Test
    void a_repeat_after_a_day_is_still_the_same_payment_and_says_that_its_answer_was_made_again() {
        HttpResponse<String> first = payment("25 hours", "succeeded");

        HttpResponse<String> repeat = world.pay(key, BODY);
        assertThat(repeat.statusCode()).isEqualTo(202);
        assertThat(repeat.body()).isEqualTo(first.body());
        assertThat(repeat.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
        assertThat(repeat.headers().firstValue("Idempotent-Replayed")).hasValue("reconstructed");
        assertThat(repeat.headers().firstValue("Payment-Status")).hasValue("succeeded");
        assertThat(repeat.headers().firstValue("Idempotency-Expires")).isEmpty();
        assertThat(world.pay(key, Json.with(BODY, "amount", "1")).statusCode()).isEqualTo(409);
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'")).isOne();
    }

    @Test
    void what_is_not_finished_after_a_day_is_never_forgotten_but_counted() {
        long before = unfinished();
        String id = Json.text(payment("500 days", "scheduled").body(), "id");
        world.execute("INSERT INTO waiting (list, operation_id, due_at) VALUES ('work', '%s', now())".formatted(id));
        assertThat(unfinished()).isEqualTo(before + 1);
        assertThat(kept("*")).isOne();
        world.become(key, "state = 'succeeded'");
        assertThat(unfinished()).isEqualTo(before);
    }

    /** A million of them would else be walked over for each thousand that are due. */
    @Test
    void what_is_not_settled_is_looked_at_once_in_a_round_and_forgotten_in_a_later_one_when_it_has_been_settled_for_long() {
        payment("802 days", "dead");
        while (reaper.runOnce() > 0) {
            // To the end of the round.
        }
        world.become(key, "state = 'succeeded', settled_at = now() - interval '401 days'");
        assertThat(reaper.runOnce()).isZero();
        assertThat(kept("*")).isOne();
        reaper.beginAgain();
        reaper.runOnce();
        assertThat(kept("*")).isZero();
    }

    /** The customer paid a moment ago: if its key were free now, the same request would be another charge. */
    @Test
    void an_old_dead_letter_that_is_merged_and_charged_stays_known_and_a_repeat_is_the_same_payment() {
        payment("500 days", "dead");
        world.become(key, "state = 'succeeded', settled_at = now()");
        reap();

        assertThat(kept("*")).isOne();
        assertThat(world.pay(key, BODY).headers().firstValue("Payment-Status")).hasValue("succeeded");
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'")).isOne();
    }

    /** What happens late to a payment of 500 days. */
    static Stream<String> whatHappensLate() {
        return Stream.of(
                "UPDATE operation_state SET settled_at = %2$s WHERE operation_id = '%1$s'",
                "UPDATE payment_attempt SET sent_at = %2$s WHERE psp_key = 'k-%1$s'",
                "UPDATE payment_attempt SET decided_at = %2$s WHERE psp_key = 'k-%1$s'",
                "UPDATE dead_letter SET changed_at = %2$s WHERE dead_letter_id = '%1$s'",
                "INSERT INTO psp_observation (psp_key, source, outcome, observed_at) VALUES ('k-%1$s', 'webhook', 'charged', %2$s)",
                """
                INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, run, state, approved_by, answered_at)
                VALUES ('k-%1$s', '%1$s', 1, 'not_charged', 'e', 'r-%1$s', 'settled', 'ann', %2$s);
                UPDATE hand_settlement SET proposed_at = now() - interval '450 days' WHERE run = 'r-%1$s'""",
                """
                INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, booked_at, source_sha256, line_number,
                       recorded_at)
                VALUES ('stripe', '%1$s', 'k-%1$s', 'captured', 1, 'EUR', now() - interval '450 days', sha256(''), 1, %2$s)""",
                """
                INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, booked_at, source_sha256, line_number,
                       recorded_at, answered_at)
                VALUES ('stripe', '%1$s', 'k-%1$s', 'captured', 1, 'EUR', now() - interval '450 days', sha256(''), 1,
                       now() - interval '450 days', %2$s)""",
                """
                INSERT INTO capture_failure (operation_id, psp, psp_reference, reason, failed_at)
                VALUES ('%1$s', 'stripe', 'pi', 'lost', %2$s)""",
                """
                INSERT INTO capture_failure (operation_id, psp, psp_reference, reason, failed_at, recaptured_at)
                VALUES ('%1$s', 'stripe', 'pi', 'lost', now() - interval '450 days', %2$s)""");
    }

    @ParameterizedTest
    @MethodSource("whatHappensLate")
    void the_retention_begins_with_the_last_thing_that_happened(String late) {
        String id = oldPaymentWithAnAttempt();
        happens(late.formatted(id, "now() - interval '399 days'"));
        reap();
        assertThat(kept("*")).isOne();

        world.execute("SET session_replication_role = replica; DELETE FROM psp_observation; DELETE FROM hand_settlement; "
                + "DELETE FROM settlement_line; DELETE FROM capture_failure; RESET session_replication_role");
        happens(late.formatted(id, "now() - interval '401 days'"));
        reap();
        assertThat(rowsOf(id)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE operation_state SET resolve_at = now() WHERE operation_id = '%1$s'",
        "UPDATE payment_attempt SET state = 'unknown' WHERE psp_key = 'k-%1$s'",
        "UPDATE payment_attempt SET state = 'in_flight' WHERE psp_key = 'k-%1$s'",
        "UPDATE dead_letter SET state = 'dead' WHERE dead_letter_id = '%1$s'",
        """
        INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, booked_at, source_sha256, line_number, recorded_at,
               due_at)
        VALUES ('stripe', '%1$s', 'k-%1$s', 'captured', 1, 'EUR', now() - interval '450 days', sha256(''), 1, now() - interval '450 days',
               now())"""})
    void a_payment_with_an_open_status_query_is_never_forgotten(String query) {
        String id = oldPaymentWithAnAttempt();
        happens(query.formatted(id));
        reap();

        assertThat(rowsOf(id)).isEqualTo(2);
    }

    @Test
    void a_payment_with_a_dispute_is_forgotten_only_when_that_has_ended_for_long() {
        String id = oldPaymentWithAnAttempt();
        world.execute("""
                INSERT INTO dispute (psp, reference, payment_id, reason, stage, stage_rank, final, funds, funds_rank, refundable, answered,
                       revision, changed_at)
                VALUES ('adyen', 'D-%1$s', '%1$s', '', 'opened', 40, false, 'taken', 40, false, false, 1, now() - interval '450 days')"""
                .formatted(id));
        reap();
        assertThat(rowsOf(id)).isEqualTo(2);

        world.execute("UPDATE dispute SET stage = 'lost', stage_rank = 81, final = true, revision = 2");
        reap();
        assertThat(rowsOf(id)).isZero();
    }

    /** As Adyen's notification of fraud and its request for information, which no message closes. */
    @Test
    void a_dispute_that_never_ends_keeps_its_payment_for_540_days_after_its_last_change_and_its_time_to_answer() {
        String id = oldPaymentWithAnAttempt();
        world.execute("""
                INSERT INTO dispute (psp, reference, payment_id, reason, stage, stage_rank, final, funds, funds_rank, refundable, answered,
                       revision, changed_at)
                VALUES ('adyen', 'D-%1$s', '%1$s', '', 'inquiry', 10, false, 'not_taken', 0, true, true, 1, now() - interval '539 days')"""
                .formatted(id));
        reap();
        assertThat(rowsOf(id)).isEqualTo(2);

        world.execute("UPDATE dispute SET changed_at = now() - interval '541 days', due_by = now() - interval '539 days', "
                + "revision = revision + 1");
        reap();
        assertThat(rowsOf(id)).isEqualTo(2);

        world.execute("UPDATE dispute SET due_by = now() - interval '541 days', revision = revision + 1");
        reap();
        assertThat(rowsOf(id)).isZero();
    }

    private String oldPaymentWithAnAttempt() {
        String id = Json.text(payment("500 days", "purged").body(), "id");
        world.become(key, "settled_at = now() - interval '450 days'");
        world.execute("""
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                       request_sha256, sent_at, decided_at, key_valid_until)
                VALUES ('k-%1$s', '%1$s', '%1$s', 'charge', 1, 1, 'stripe', 'succeeded', '', sha256(''), now() - interval '500 days',
                        now() - interval '500 days', now() - interval '499 days');
                INSERT INTO dead_letter (dead_letter_id, operation_id, state, cause, message, generation, changed_at)
                VALUES ('%1$s', '%1$s', 'purged', 'psp_unwell', '500', 1, now() - interval '480 days')""".formatted(id));
        return id;
    }

    private void happens(String statement) {
        world.execute("SET session_replication_role = replica; " + statement + "; RESET session_replication_role");
    }

    private static void reap() {
        reaper.beginAgain();
        reaper.runOnce();
        reaper.runOnce();
    }

    /** Charge may be away since yesterday: then no look has listed it. */
    @Test
    void what_is_still_on_its_usual_way_after_a_day_is_counted_too() {
        long before = unfinished();
        world.pay(key, BODY);
        assertThat(unfinished()).isEqualTo(before);
        aged("25 hours");
        assertThat(unfinished()).isEqualTo(before + 1);
        world.become(key, "state = 'succeeded'");
    }

    /** Forgotten by another process between two statements of this one, a payment may have been made again under its key. */
    @Test
    void a_payment_that_was_made_a_moment_ago_is_not_forgotten_with_an_old_key() {
        payment("401 days", "succeeded");
        world.execute("SET session_replication_role = replica; UPDATE operation SET accepted_at = now() WHERE idempotency_key = '" + key
                + "'; RESET session_replication_role");
        reaper.runOnce();
        assertThat(kept("*")).isOne();
    }

    private static long unfinished() {
        reaper.beginAgain();
        reaper.runOnce();
        return reaper.unfinished();
    }

    @Test
    void a_key_is_free_again_after_the_retention_and_nothing_of_its_payment_is_left() {
        String id = Json.text(payment("401 days", "declined").body(), "id");
        world.execute("""
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                       request_sha256, sent_at, key_valid_until)
                VALUES ('k-%1$s', '%1$s', '%1$s', 'charge', 1, 1, 'stripe', 'succeeded', '', sha256(''), now() - interval '401 days',
                        now());
                INSERT INTO psp_observation (psp_key, source, outcome, observed_at)
                VALUES ('k-%1$s', 'call', 'declined', now() - interval '401 days')""".formatted(id));
        happens("""
                INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, run, proposed_at)
                VALUES ('k-%1$s', '%1$s', 1, 'not_charged', 'e', 'r-%1$s', now() - interval '401 days')""".formatted(id));
        reaper.runOnce();
        reaper.runOnce();

        assertThat(kept("*")).isZero();
        assertThat(world.count("SELECT (SELECT count(*) FROM operation WHERE operation_id = '%1$s') + (SELECT count(*) FROM "
                .formatted(id)
                + "payment_attempt WHERE payment_id = '%1$s') + (SELECT count(*) FROM psp_observation WHERE psp_key = 'k-%1$s')"
                        .formatted(id)))
                .isZero();
        assertThat(world.count("SELECT count(*) FROM hand_settlement WHERE operation_id = '" + id + "'")).as("nor a finding").isZero();
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void a_payment_that_is_forgotten_waits_in_no_list() {
        String id = Json.text(payment("401 days", "declined").body(), "id");
        world.execute("INSERT INTO waiting (list, operation_id, lane, due_at) VALUES ('purge', '" + id + "', '', now())");
        reaper.runOnce();
        reaper.runOnce();

        assertThat(kept("*")).isZero();
        assertThat(world.count("SELECT count(*) FROM waiting WHERE operation_id = '" + id + "'")).isZero();
    }

    /** A refund of that age, in that state. */
    private void refund(String payment, String age, String state) {
        String id = "payment-" + payment + "-refund";
        world.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
                accepted_at,
                                       charge_within_s)
                VALUES ('%1$s', '%2$s', 'refund', 'acme', '%1$s', 1, 'EUR', 'pm', now() - interval '%3$s', 0);
                UPDATE operation_state SET state = 'dead' WHERE operation_id = '%1$s' AND '%4$s' = 'purged';
                UPDATE operation_state SET state = '%4$s' WHERE operation_id = '%1$s';
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path,
                       request_params, resource_id)
                VALUES ('acme', 'key-of-%1$s', sha256(''), 1, '/v1/payments/%2$s/refunds', '{}', '%1$s')
                """.formatted(id, payment, age, state));
    }

    private static long rowsOf(String payment) {
        return world.count(
                ("SELECT (SELECT count(*) FROM operation WHERE payment_id = '%1$s') + (SELECT count(*) FROM idempotency_key WHERE "
                        + "resource_id LIKE '%%%1$s%%')")
                        .formatted(payment));
    }

    @ParameterizedTest
    @CsvSource({"401 days,scheduled", "401 days,dead", "401 days,purged", "401 days,parked", "399 days,succeeded"})
    void a_payment_is_not_forgotten_while_its_money_goes_back_or_just_went(String age, String state) {
        String id = Json.text(payment("500 days", "succeeded").body(), "id");
        refund(id, age, state);
        reaper.runOnce();
        reaper.runOnce();

        assertThat(rowsOf(id)).isEqualTo(4);
    }

    @Test
    void a_refund_that_is_over_is_forgotten_with_its_payment() {
        String id = Json.text(payment("500 days", "succeeded").body(), "id");
        refund(id, "401 days", "succeeded");
        reaper.runOnce();
        reaper.runOnce();

        assertThat(rowsOf(id)).isZero();
    }

    @Test
    void a_key_within_the_retention_stays_taken() {
        payment("399 days", "succeeded");
        reaper.runOnce();
        reaper.runOnce();

        assertThat(kept("*")).isOne();
    }

    @Test
    void a_purged_payment_is_forgotten_with_its_dead_letter_and_not_before_its_outcome_is_told() {
        String id = Json.text(payment("500 days", "purged").body(), "id");
        world.execute("""
                INSERT INTO dead_letter (dead_letter_id, operation_id, state, cause, message, generation, changed_at)
                VALUES ('%1$s', '%1$s', 'purged', 'psp_unwell', '500', 1, now() - interval '450 days')""".formatted(id));
        reap();
        assertThat(rowsOf(id)).isEqualTo(2);
        world.execute("UPDATE operation_state SET settled_at = now() - interval '401 days' WHERE operation_id = '" + id + "'");
        reap();

        assertThat(rowsOf(id)).isZero();
        assertThat(world.count("SELECT count(*) FROM dead_letter WHERE dead_letter_id = '" + id + "'")).isZero();
    }

    @Test
    void a_purged_payment_whose_psp_is_still_asked_is_not_forgotten() {
        String id = Json.text(payment("500 days", "purged").body(), "id");
        world.execute("UPDATE operation_state SET settled_at = now() - interval '450 days', resolve_at = now() WHERE operation_id = '" + id
                + "'");
        reaper.runOnce();
        reaper.runOnce();
        assertThat(rowsOf(id)).isEqualTo(2);
    }

    @Test
    void records_that_left_the_queue_and_runs_that_are_over_go_after_the_retention() {
        world.execute("""
                INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, changed_at, source_topic, sealed_record)
                VALUES ('left-long-ago', 'purged', 'undecodable', '', 1, now() - interval '401 days', 't', '\\x01'),
                       ('left-lately', 'purged', 'undecodable', '', 1, now() - interval '399 days', 't', '\\x01'),
                       ('still-there', 'dead', 'undecodable', '', 1, now() - interval '401 days', 't', '\\x01');
                INSERT INTO dlq_run (run_id, planned_by, planned_at, fingerprint, items, canary, abort_above_percent, even_capped, state, \
                ended_at)
                VALUES ('run_0000000001', 'ann', now() - interval '402 days', 'f', 1, 0, 10, false, 'finished', now() - interval '401 \
                days'),
                       ('run_0000000002', 'ann', now() - interval '402 days', 'f', 1, 0, 10, false, 'finished', now() - interval '399 \
                days'),
                       ('run_0000000003', 'ann', now() - interval '402 days', 'f', 1, 0, 10, false, 'running', NULL);
                INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing)
                SELECT run_id, 1, 'left-long-ago', 1, now(), 'poison' FROM dlq_run""");
        reaper.runOnce();

        assertThat(world.count("SELECT count(*) FROM dead_letter WHERE source_topic = 't'")).isEqualTo(2);
        assertThat(world.count("SELECT count(*) FROM dead_letter WHERE dead_letter_id = 'left-long-ago'")).isZero();
        assertThat(world.count("SELECT count(*) FROM dlq_run WHERE run_id = 'run_0000000001'")).isZero();
        assertThat(world.count("SELECT count(*) FROM dlq_run")).isEqualTo(2);
        assertThat(world.count("SELECT count(*) FROM dlq_run_item")).isEqualTo(2);
    }

    /** The budget counts 30 days; in some time zone it is another day. */
    @Test
    void presentations_that_no_budget_counts_go_and_those_that_it_counts_stay() {
        world.execute("INSERT INTO retry_budget SELECT sha256('card'), 1, 'EUR', current_date - n, 1 FROM generate_series(0, 1500) AS n");
        reaper.runOnce();
        assertThat(world.count("SELECT count(*) FROM retry_budget")).as("a thousand at a time").isBetween(33L, 501L);
        reaper.runOnce();
        assertThat(world.count("SELECT count(*) FROM retry_budget")).isEqualTo(33);
        assertThat(world.count("SELECT current_date - min(day) FROM retry_budget")).isEqualTo(32);
    }

    @Test
    void guards_go_when_their_window_is_over() {
        world.execute("INSERT INTO duplicate_guard VALUES ('acme', sha256('over'), 'pay_x', now() - interval '1 second'), "
                + "('acme', sha256('lives'), 'pay_x', now() + interval '1 hour')");
        // The service's own reaper may hold the row at this moment, and be about to remove it.
        Awaitility.await().untilAsserted(() -> {
            reaper.runOnce();
            assertThat(world.count("SELECT count(*) FROM duplicate_guard WHERE payment_id = 'pay_x'")).isOne();
        });
    }
}
