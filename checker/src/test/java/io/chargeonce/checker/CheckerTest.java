package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A world in balance is balanced; broken in one place, the invariant of that place is named with its payment, and no other. */
class CheckerTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    @Test
    void a_world_in_balance_is_balanced() {
        Verdict verdict = world.check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.balanced()).isTrue();
        assertThat(verdict.json()).isEqualTo("{\"verdict\":\"balanced\",\"balanced\":true,\"accepted\":5,\"succeeded\":2,"
                + "\"declined\":1,\"dead\":1,\"purged\":1,\"in_flight\":0,\"psp_captures\":2,\"lost\":0,\"double_charged\":0,"
                + "\"phantom\":0,\"wrong_amount\":0,\"outcome_missing\":0,\"outcome_conflict\":0,\"over_refunded\":0,"
                + "\"attempts_not_monotone\":0,\"early_retries\":0}");
    }

    @Test
    void repeats_and_late_copies_on_topics_leave_it_balanced() {
        sample.outcome(sample.charged, "succeeded", 2, 1, "pi_" + sample.charged);
        sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        sample.retry(sample.retried, 1, 2, 2, Sample.at(30));
        world.send("dlq", sample.purged, "{\"revision\":1}");
        world.commitOffsets();
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void it_is_unknown_while_a_payment_is_under_way_unless_that_is_allowed() {
        String waiting = sample.accept("waiting", "accepted", 1, 0);
        assertThat(world.check().kind()).isEqualTo(Verdict.Kind.UNKNOWN);
        assertThat(world.check().count("in_flight")).isEqualTo(1);
        world.inFlightAllowed = true;
        assertThat(world.check().balanced()).as(waiting).isTrue();
    }

    @Test
    void accepted_durable_an_acceptance_without_a_row_is_lost() {
        String gone = DerivedId.ofPayment("acme", "gone");
        world.calls.add(new ClientCall("acme", "gone", "b", 5, "EUR", ClientCall.Result.OK, Optional.of(gone)));
        broken(Invariant.ACCEPTED_DURABLE, gone, "lost");
    }

    @Test
    void accepted_durable_a_refused_call_with_a_row_is_a_phantom() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", "b", 1299, "EUR", ClientCall.Result.FAIL, Optional.empty()));
        broken(Invariant.ACCEPTED_DURABLE, sample.dead, "phantom");
    }

    @Test
    void accepted_durable_a_row_says_what_the_client_sent() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", "b", 1298, "EUR", ClientCall.Result.UNKNOWN, Optional.empty()));
        broken(Invariant.ACCEPTED_DURABLE, sample.dead);
    }

    @Test
    void an_unanswered_call_is_either_accepted_or_not() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", "b", 1299, "EUR", ClientCall.Result.UNKNOWN, Optional.empty()));
        world.calls.add(new ClientCall("acme", "nobody", "b", 1299, "EUR", ClientCall.Result.UNKNOWN, Optional.empty()));
        assertThat(world.check().balanced()).isTrue();
    }

    @Test
    void idempotent_accept_another_payload_under_the_key_was_accepted() {
        world.calls.add(new ClientCall("acme", "charged", "another body", 1299, "EUR", ClientCall.Result.OK, Optional.of(sample.charged)));
        broken(Invariant.IDEMPOTENT_ACCEPT, sample.charged);
    }

    @Test
    void idempotent_accept_one_key_was_answered_with_two_payments() {
        world.calls.add(new ClientCall("acme", "charged", "body of charged", 1299, "EUR", ClientCall.Result.OK, Optional.of(sample.dead)));
        broken(Invariant.IDEMPOTENT_ACCEPT, sample.charged);
    }

    @Test
    void conservation_an_outcome_and_a_live_dead_letter_exclude_each_other() {
        sample.letter(sample.charged, "dead", 1);
        Verdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant)
                .containsExactlyInAnyOrder(Invariant.CONSERVATION, Invariant.DLQ_ALGEBRA);
    }

    @Test
    void conservation_a_purged_payment_has_no_attempt_that_may_have_moved_money() {
        world.sql("UPDATE payment_attempt SET state = 'unknown', failed_definite = false WHERE operation_id = '" + sample.purged + "'");
        broken(Invariant.CONSERVATION, sample.purged);
    }

    @Test
    void one_capture_a_second_capture_at_another_psp_under_another_key_is_a_double_charge() {
        world.moved(1, "capture", sample.charged, 1299, "eur", "another-key", "");
        Verdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).contains(Invariant.ONE_CAPTURE);
        assertThat(verdict.count("double_charged")).isEqualTo(1);
        assertThat(verdict.timelines().get(sample.charged)).extracting(Event::source).anyMatch(source -> source.startsWith("ledger of"));
    }

    @Test
    void one_capture_a_reversed_second_capture_is_none() {
        world.moved(1, "capture", sample.charged, 1299, "eur", "another-key", "");
        sample.giveBack("reversal", "attempt-another-key-reversal", sample.charged, "another-key", 1299);
        world.moved(1, "refund", sample.charged, 1299, "eur", "r0", "attempt-another-key-reversal");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void refunds_one_for_each_entity() {
        world.moved(0, "refund", sample.charged, 700, "eur", "r1", sample.refund(sample.charged, "line-1", 700));
        world.moved(0, "refund", sample.charged, 599, "eur", "r2", sample.refund(sample.charged, "line-2", 599));
        assertThat(world.check().violations()).isEmpty();
        assertThat(world.check().count("accepted")).isEqualTo(5);
    }

    @Test
    void refunds_two_for_one_entity_are_one_too_many() {
        String refund = sample.refund(sample.charged, "", 100);
        world.moved(0, "refund", sample.charged, 100, "eur", "r1", refund);
        world.moved(0, "refund", sample.charged, 100, "eur", "r2", refund);
        Verdict verdict = world.check();
        assertThat(verdict.violations()).isNotEmpty().extracting(Violation::invariant).containsOnly(Invariant.REFUNDS);
        assertThat(verdict.timelines()).containsKeys(sample.charged, refund);
    }

    @Test
    void refunds_go_by_their_entity_whatever_the_request_was_called() {
        sample.giveBack("refund", "request-7", sample.charged, "line-1", 100);
        world.moved(0, "refund", sample.charged, 100, "eur", "r1", "request-7");
        broken(Invariant.REFUNDS, "request-7");
    }

    @Test
    void refunds_never_exceed_the_capture() {
        world.moved(0, "refund", sample.charged, 700, "eur", "r1", sample.refund(sample.charged, "line-1", 700));
        world.moved(0, "refund", sample.charged, 600, "eur", "r2", sample.refund(sample.charged, "line-2", 600));
        broken(Invariant.REFUNDS, sample.charged, "over_refunded");
    }

    @Test
    void psp_agrees_a_refund_that_succeeded_gave_the_money_back() {
        broken(Invariant.PSP_AGREES, sample.refund(sample.charged, "", 100), "phantom");
    }

    @Test
    void psp_agrees_a_capture_of_a_payment_that_was_never_accepted_is_a_phantom() {
        world.moved(0, "capture", "pay_nobody", 1, "eur", "k", "");
        broken(Invariant.PSP_AGREES, "pay_nobody", "phantom");
    }

    @Test
    void psp_agrees_a_declined_payment_was_captured() {
        world.moved(0, "capture", sample.declined, 1299, "eur", "k", "");
        broken(Invariant.PSP_AGREES, sample.declined, "phantom");
    }

    @Test
    void psp_agrees_a_succeeded_payment_was_not_captured_and_the_sums_differ() {
        world.forgetMovements();
        world.moved(0, "capture", sample.charged, 1299, "eur", "k1", "");
        Verdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).containsExactlyInAnyOrder(Invariant.PSP_AGREES, Invariant.MONEY_SUM);
    }

    @Test
    void psp_agrees_the_captured_amount_is_the_accepted_one() {
        world.forgetMovements();
        world.moved(0, "capture", sample.charged, 1300, "eur", "k1", "");
        world.moved(1, "capture", sample.retried, 1299, "eur", "k2", "");
        Verdict verdict = world.check();
        assertThat(verdict.count("wrong_amount")).isEqualTo(1);
        assertThat(verdict.violations()).extracting(Violation::invariant).containsExactlyInAnyOrder(Invariant.PSP_AGREES, Invariant.MONEY_SUM);
    }

    @Test
    void psp_agrees_a_decline_is_the_answer_and_not_tried_again() {
        world.answered(Sample.key(sample.declined, 1), 402);
        assertThat(world.check().balanced()).isTrue();
        world.answered(Sample.key(sample.retried, 1), 402);
        broken(Invariant.PSP_AGREES, sample.retried);
    }

    @Test
    void psp_agrees_a_declined_payment_is_not_dead() {
        world.answered(Sample.key(sample.dead, 1), 402);
        broken(Invariant.PSP_AGREES, sample.dead);
    }

    @Test
    void outcome_agrees_a_settled_payment_without_an_event_misses_it() {
        String silent = sample.accept("silent", "declined", 2, 0);
        world.commitOffsets();
        broken(Invariant.OUTCOME_AGREES, silent, "outcome_missing");
    }

    @Test
    void outcome_agrees_a_second_event_under_another_id_is_a_conflict() {
        sample.outcome(sample.charged, "succeeded", 2, 1, "pi_" + sample.charged, "another id");
        broken(Invariant.OUTCOME_AGREES, sample.charged, "outcome_conflict");
    }

    @Test
    void outcome_agrees_an_event_says_what_the_row_says() {
        sample.outcome(sample.declined, "declined", 2, 1, "another reference");
        broken(Invariant.OUTCOME_AGREES, sample.declined, "outcome_conflict");
    }

    @Test
    void attempts_monotone_none_is_skipped() {
        world.sql("UPDATE payment_attempt SET sequence = 3 WHERE sequence = 2",
                "UPDATE operation SET sequence = 2 WHERE operation_id = '" + sample.retried + "'");
        broken(Invariant.ATTEMPTS_MONOTONE, sample.retried, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_none_starts_before_the_last_one_failed() {
        world.sql("UPDATE payment_attempt SET decided_at = '" + Sample.at(8) + "' WHERE sequence = 1 AND operation_id = '" + sample.retried + "'");
        broken(Invariant.ATTEMPTS_MONOTONE, sample.retried, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_none_follows_the_end() {
        world.sql("UPDATE operation SET settled_at = '" + Sample.at(0) + "' WHERE operation_id = '" + sample.charged + "'");
        broken(Invariant.ATTEMPTS_MONOTONE, sample.charged, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_each_is_sent_under_the_key_that_it_derives() {
        world.sql("UPDATE payment_attempt SET psp_key = 'serial-4711' WHERE operation_id = '" + sample.charged + "'");
        broken(Invariant.ATTEMPTS_MONOTONE, sample.charged, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_the_index_that_guards_them_is_there() {
        world.sql("DROP INDEX one_open_attempt");
        Verdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::toString).singleElement().asString().contains("one_open_attempt is missing");
    }

    @Test
    void hop_sound_a_payment_passed_over_below_the_committed_offset_is_lost() {
        String passed = sample.accept("passed", "accepted", 1, 0);
        world.commitOffsets();
        broken(Invariant.HOP_SOUND, passed, "lost");
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
    void never_early_by_a_millisecond_is_early() {
        world.sql("UPDATE payment_attempt SET sent_at = '" + Sample.at(7).minusMillis(1) + "' WHERE sequence = 2");
        broken(Invariant.NEVER_EARLY, sample.retried, "early_retries");
    }

    @Test
    void dlq_algebra_every_generation_is_a_merge_on_record() {
        world.sql("UPDATE operation SET generation = 2 WHERE operation_id = '" + sample.purged + "'");
        broken(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void dlq_algebra_a_live_dead_letter_is_on_the_topic() {
        world.send("dlq", sample.dead, null, "chargeonce-revision", "2");
        broken(Invariant.DLQ_ALGEBRA, sample.dead);
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
        broken(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void dlq_algebra_each_change_has_its_audit_record() {
        world.sql("DELETE FROM audit_record WHERE resource_id = '" + sample.purged + "' AND action = 'dead_letter.left'");
        broken(Invariant.DLQ_ALGEBRA, sample.purged);
    }

    @Test
    void poison_that_is_finished_between_the_rows_and_the_topics_breaks_nothing() throws Exception {
        long offset = world.send("requests", "k", "poison");
        try (var checks = Executors.newSingleThreadExecutor(); var other = world.connect(); var statement = other.createStatement()) {
            other.setAutoCommit(false);
            // The check has taken its picture of the rows when it comes to this table.
            statement.execute("LOCK TABLE audit_record");
            Future<Verdict> verdict = checks.submit(world::check);
            await().until(() -> {
                try (var waiting = statement.executeQuery("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'audit_record'::regclass")) {
                    return waiting.next();
                }
            });
            statement.execute("""
                    INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, source_partition, source_offset)
                    VALUES ('psn_2', 'dead', 'undecodable', 'not JSON', 1, '%s.requests', 0, %d)
                    """.formatted(world.prefix, offset));
            world.send("dlq", "psn_2", "{\"revision\":1}");
            world.commitOffsets();
            other.commit();
            assertThat(verdict.get().violations()).isEmpty();
            assertThat(verdict.get().kind()).isEqualTo(Verdict.Kind.UNKNOWN);
        }
    }

    @Test
    void never_early_a_wait_in_a_tier_lasts_its_delay() {
        String visit = "INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) VALUES ('%s', %d, 1, 1, 'scheduled', '%s', '%s')";
        world.sql(visit.formatted(sample.retried, 2, Sample.at(2), Sample.at(7)));
        assertThat(world.check().violations()).isEmpty();
        world.sql(visit.formatted(sample.retried, 3, Sample.at(2), Sample.at(7).minusMillis(1)));
        broken(Invariant.NEVER_EARLY, sample.retried, "early_retries");
    }

    @Test
    void hop_sound_nothing_is_staged_for_the_main_topic_under_a_new_step_without_a_reason() {
        world.send("requests", sample.retried, """
                {"type":"payment.request","version":1,"payment_id":"%1$s","operation":"charge","operation_id":"%1$s","step":2,
                 "merchant":"acme","idempotency_key":"retried","amount":1299,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(sample.retried), "ce_id", sample.retried + "/2");
        world.commitOffsets();
        broken(Invariant.HOP_SOUND, sample.retried);
    }

    @Test
    void hop_sound_no_attempt_is_older_than_the_record_that_it_waited_for() {
        var books = new Books();
        Payment payment = books.payment("pay_1");
        payment.state = State.SCHEDULED;
        payment.generation = 1;
        payment.sent(1_000_000);
        payment.sent(8_000_000);
        var checks = new PaymentChecks(books, Evidence.of("", "", "", "none", List.of(World.TIER), List.of()), false);
        payment.waited(new Payment.Retry(2, 2, 1, 2_000_000, 8_100_000));
        checks.check(payment);
        assertThat(books.findings.violations()).isEmpty();
        payment.waited(new Payment.Retry(3, 2, 1, 2_500_000, 8_900_000));
        checks.check(payment);
        assertThat(books.findings.violations()).extracting(Violation::toString).containsExactly(
                "hop-sound: pay_1 attempt 2 started 0.900 s before the record that it waited for was in tier 1");
    }

    @Test
    void outcome_agrees_a_purge_that_can_be_undone_no_more_is_told_as_what_it_is() {
        world.sql("UPDATE operation SET settled_at = '" + Sample.at(60) + "' WHERE operation_id = '" + sample.purged + "'");
        broken(Invariant.OUTCOME_AGREES, sample.purged, "outcome_missing");
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
    void alive_after_heal_no_record_is_refused_by_the_broker() {
        world.sql("INSERT INTO outbox (shard, topic, record_key, value, headers, refusal) VALUES (0, 'x', '%s', '', '{}', 'too large')"
                .formatted(sample.charged));
        broken(Invariant.ALIVE_AFTER_HEAL, sample.charged);
    }

    private void broken(Invariant invariant, String subject, String... counts) {
        Verdict verdict = world.check();
        assertThat(verdict.violations()).as(verdict.report()).isNotEmpty().allSatisfy(violation -> {
            assertThat(violation.invariant()).isEqualTo(invariant);
            assertThat(violation.subject()).contains(subject);
        });
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.BROKEN);
        for (String count : counts) {
            assertThat(verdict.count(count)).as(count).isEqualTo(1);
        }
        assertThat(verdict.timelines()).containsKey(subject);
    }
}
