// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Canceled payments, and payments by stored methods. */
class CancelChecksTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;
    private final String canceled = sample.accept("canceled", "accepted", 3, 1);

    @BeforeEach
    void cancel() {
        sample.attempt(canceled, 1, "failed_definite", Sample.at(1));
        world.sql("""
                UPDATE operation_state SET state = 'canceled', cancel_requested_at = '%s', settled_at = '%s', psp_reference = 'pi_%3$s'
                 WHERE operation_id = '%3$s'""".formatted(Sample.at(30), Sample.at(60), canceled));
        world.commitOffsets();
    }

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    private void publish(String status, int revision) {
        world.send("outcomes", canceled, """
                {"type":"payment.outcome","version":1,"payment_id":"%s","operation":"charge","merchant":"acme",
                 "idempotency_key":"canceled","status":"%s","amount":1299,"currency":"EUR","psp":"stripe","psp_reference":"pi_%1$s",
                 "attempts":1,"revision":%d,"settled_at":"%s"}""".formatted(canceled, status, revision, Sample.at(60)),
                "ce_id", canceled + "/" + revision + "/outcome");
    }

    private void stageForTheMainTopic(int step) {
        world.send("requests", canceled, """
                {"type":"payment.request","version":1,"payment_id":"%1$s","operation":"charge","operation_id":"%1$s","step":%2$d,
                 "merchant":"acme","idempotency_key":"canceled","amount":1299,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(canceled, step), "ce_id", canceled + "/" + step, "ce_time", Sample.at(step).toString());
    }

    @Test
    void a_canceled_payment_with_its_outcome_is_in_balance_even_if_a_purge_was_published_before() {
        publish("purged", 2);
        publish("canceled", 3);
        assertThat(world.check().violations()).isEmpty();
        assertThat(world.check().count("canceled")).isOne();
        assertThat(world.check().report()).contains("+ canceled 1");
    }

    @Test
    void a_canceled_payment_without_its_outcome_is_found() {
        world.breaks(Invariant.OUTCOME_AGREES, canceled, "outcome_missing");
    }

    @Test
    void a_cancel_that_is_not_published_yet_is_in_progress() {
        world.sql("UPDATE operation_state SET settled_at = NULL WHERE operation_id = '" + canceled + "'");
        assertThat(world.check().kind()).isEqualTo(CheckVerdict.Kind.UNKNOWN);
        assertThat(Checker.underWay(world.evidence())).isOne();
    }

    @Test
    void an_attempt_that_began_after_the_cancel_is_found() {
        publish("canceled", 3);
        world.sql("UPDATE operation_state SET cancel_requested_at = '%s' WHERE operation_id = '%s'".formatted(Sample.at(0), canceled));
        world.breaks(Invariant.ATTEMPTS_MONOTONE, canceled, "attempts_not_monotone");
    }

    @Test
    void an_attempt_that_a_restored_database_had_lost_may_come_after_the_cancel_and_lead_to_one_query_more() {
        publish("canceled", 3);
        world.sql("UPDATE operation_state SET cancel_requested_at = '%s' WHERE operation_id = '%s'".formatted(Sample.at(0), canceled), """
                INSERT INTO audit_record (actor, action, resource_type, resource_id, data)
                VALUES ('merchant:acme', 'payment.cancel_requested', 'operation', '%s', '{"status":"canceling"}')""".formatted(canceled),
                "INSERT INTO psp_observation (psp_key, source, outcome) VALUES ('%s', 'found', 'unknown')"
                        .formatted(Sample.key(canceled, 1)));
        stageForTheMainTopic(2);
        stageForTheMainTopic(3);
        world.commitOffsets();
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE psp_observation SET source = 'query'");
        assertThat(world.check().violations()).extracting(Violation::invariant)
                .containsExactlyInAnyOrder(Invariant.HOP_SOUND, Invariant.ATTEMPTS_MONOTONE);
    }

    @Test
    void money_of_a_canceled_payment_must_be_given_back() {
        publish("canceled", 3);
        String key = Sample.key(canceled, 1);
        world.sql("UPDATE payment_attempt SET state = 'succeeded' WHERE operation_id = '" + canceled + "'");
        world.moved(0, "capture", canceled, 1299, "eur", key, "");
        world.breaks(Invariant.PSP_AGREES, canceled, "phantom");
        sample.giveBack("reversal", "attempt-" + key + "-reversal", canceled, key, 1299);
        world.moved(0, "refund", canceled, 1299, "eur", "r0", "attempt-" + key + "-reversal");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void an_attempt_at_a_psp_without_a_token_of_the_payment_method_is_found() {
        publish("canceled", 3);
        String method = "pmt_" + "a".repeat(26);
        world.calls.removeIf(call -> call.key().equals("charged"));
        world.calls.add(new ClientCall("acme", "charged", new ClientCall.Content(1299, "EUR", method), ClientCall.Result.OK,
                Optional.of(sample.charged)));
        world.sql("""
                INSERT INTO payment_method (payment_method_id, merchant_id, customer, psps, fingerprint)
                VALUES ('%s', 'acme', 'jane', '{stripe}', sha256('x'))""".formatted(method),
                "UPDATE operation SET payment_method = '%s' WHERE operation_id = '%s'".formatted(method, sample.charged));
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE payment_method SET psps = '{adyen}'");
        world.breaks(Invariant.OWN_TOKEN, sample.charged);
        world.sql("UPDATE payment_method SET psps = '{stripe}', merchant_id = 'globex'");
        world.breaks(Invariant.OWN_TOKEN, sample.charged);
    }
}
