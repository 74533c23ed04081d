// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RederivedId;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A little world in balance: succeeded at once and after a retry, declined, dead, purged, and a poison record. */
final class Sample implements AutoCloseable {

    static final ClientCall.Content CONTENT = new ClientCall.Content(1299, "EUR", "pm_card_visa");

    final World world = new World();
    final String charged = accept("charged", "succeeded", 2, 1);
    final String retried = accept("retried", "succeeded", 3, 2);
    final String declined = accept("declined", "declined", 2, 1);
    final String dead = accept("dead", "dead", 2, 1);
    final String purged = accept("purged", "purged", 2, 1);
    final long poison;

    Sample() {
        attempt(charged, 1, "succeeded", at(1));
        attempt(retried, 1, "failed_definite", at(1));
        retry(retried, 1, 2, 2, at(2));
        attempt(retried, 2, "succeeded", at(7));
        attempt(declined, 1, "failed_definite", at(1));
        attempt(dead, 1, "failed_definite", at(1));
        attempt(purged, 1, "failed_definite", at(1));
        outcome(charged, "succeeded", 2, 1, "pi_" + charged);
        outcome(retried, "succeeded", 3, 2, "pi_" + retried);
        outcome(declined, "declined", 2, 1, "pi_" + declined);
        world.moved(0, "capture", charged, 1299, "eur", "k1", "");
        world.moved(1, "capture", retried, 1299, "eur", "k2", "");
        letter(dead, "dead", 1);
        letter(purged, "purged", 2);
        poison = poison();
        world.commitOffsets();
    }

    static Instant at(long seconds) {
        return World.START.plusSeconds(seconds);
    }

    /** A payment of 12.99 EUR as accepted: rows, the client's answer, the record on the main topic. */
    String accept(String key, String state, int step, int attempts) {
        String id = RederivedId.ofPayment("acme", key);
        boolean settled = state.equals("succeeded") || state.equals("declined");
        world.sql("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                       accepted_at, charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', 'acme', '%2$s', 1299, 'EUR', 'pm_card_visa', '%7$s', 86400);
                INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
                VALUES ('%1$s', '%3$s', %4$d, %5$d, 'stripe', %6$s, '%7$s'::timestamptz + interval '1 day', %8$s)
                """.formatted(id, key, state, step, attempts, settled ? "'pi_" + id + "'" : "NULL", World.START,
                settled ? "'" + at(60) + "'" : "NULL"), """
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                       request_path, resource_id)
                VALUES ('acme', '%s', sha256('x'), 1, '/v1/payments', '%s')
                """.formatted(key, id));
        world.calls.add(new ClientCall("acme", key, CONTENT, ClientCall.Result.OK, Optional.of(id)));
        request("requests", id, key, 1, 1299, "1", at(0));
        return id;
    }

    long request(String topic, String id, String key, int step, long amount, String attempt, Instant staged) {
        return world.send(topic, id, """
                {"type":"payment.request","version":1,"payment_id":"%s","operation":"charge","operation_id":"%1$s","step":%d,
                 "merchant":"acme","idempotency_key":"%s","amount":%d,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(id, step, key, amount), "ce_time", staged.toString(), "chargeonce-attempt", attempt);
    }

    void retry(String id, int tier, int step, int attempt, Instant staged) {
        request("retry-" + tier, id, "retried", step, 1299, "" + attempt, staged);
    }

    void attempt(String id, int sequence, String state, Instant sent) {
        world.sql("""
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state,
                       failed_definite, request, request_sha256, sent_at, key_valid_until, decided_at)
                VALUES ('%7$s', '%1$s', '%1$s', 'charge', 1, %2$d, 'stripe', '%3$s', %4$s, '', sha256(''), '%5$s',
                        '%5$s'::timestamptz + interval '1 day', '%6$s')
                """.formatted(id, sequence, state, state.equals("failed_definite"), sent, sent.plus(Duration.ofMillis(10)),
                key(id, sequence)));
        if (sequence > 1) {
            world.sql(
                    ("INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) VALUES ('%s', %d, 1, 0, "
                            + "'scheduled', '%s', '%4$s')")
                            .formatted(id, 1_000 + sequence, sent.minusMillis(500), sent));
        }
    }

    static String key(String payment, int sequence) {
        return RederivedId.ofAttempt(payment, "charge", "", "stripe", sequence);
    }

    void outcome(String id, String status, int revision, int attempts, String reference) {
        outcome(id, status, revision, attempts, reference, id + "/" + revision + "/outcome");
    }

    void outcome(String id, String status, int revision, int attempts, String reference, String eventId) {
        String key = List.of("charged", "retried", "declined").stream()
                .filter(name -> RederivedId.ofPayment("acme", name).equals(id)).findFirst().orElse("other");
        world.send("outcomes", id, """
                {"type":"payment.outcome","version":1,"payment_id":"%s","operation":"charge","merchant":"acme",
                 "idempotency_key":"%s","status":"%s","amount":1299,"currency":"EUR","psp":"stripe","psp_reference":"%s",
                 "attempts":%d,"revision":%d,"settled_at":"%s"}"""
                .formatted(id, key, status, reference, attempts, revision, at(60)), "ce_id", eventId);
    }

    /** A dead letter that changed as often as its revision says. */
    void letter(String id, String state, int revision) {
        world.sql("""
                INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause,
                       message, generation, revision)
                VALUES ('%1$s', '%1$s', '%1$s', 'acme', 1299, 'EUR', '%2$s', 'psp_unwell', 'as it was', 1, %3$d)
                """.formatted(id, state, revision));
        for (int i = 1; i <= revision; i++) {
            boolean left = i == revision && !state.equals("dead");
            audit(id, left ? "dead_letter.left" : "dead_letter.entered", i);
            world.send("dlq", id, left ? null : "{\"revision\":" + i + "}", "chargeonce-revision", "" + i);
        }
    }

    /** The refund of a payment of this sample; without a reference for "". */
    String refund(String payment, String reference, long amount) {
        String id = "payment-" + payment + "-refund" + (reference.isEmpty() ? "" : "-" + reference);
        giveBack("refund", id, payment, reference, amount);
        return id;
    }

    /** A refund that is parked until its payment has ended, with its record in the first tier. */
    String refundThatWaits(String payment) {
        String id = "payment-" + payment + "-refund";
        world.sql("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                       payment_method, accepted_at, charge_within_s)
                VALUES ('%1$s', '%2$s', 'refund', '', 'acme', '%1$s', 500, 'EUR', 'pm_card_visa', '%3$s', 86400);
                INSERT INTO operation_state (operation_id, state, step, sequence, tier, charge_before, failure_cause)
                VALUES ('%1$s', 'parked', 2, 0, 1, '%3$s'::timestamptz + interval '1 day', 'waits_for_payment')
                """.formatted(id, payment, World.START));
        world.send("retry-1", id, """
                {"type":"payment.request","version":1,"payment_id":"%s","operation":"refund","operation_id":"%s","step":2,
                 "merchant":"acme","idempotency_key":"%2$s","amount":500,"currency":"EUR","payment_method":"pm_card_visa"}"""
                .formatted(payment, id), "ce_time", at(2).toString(), "chargeonce-attempt", "0");
        return id;
    }

    /** A refund or a reversal that its row says has succeeded. */
    void giveBack(String kind, String operation, String payment, String reference, long amount) {
        world.sql("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                       payment_method, accepted_at, charge_within_s)
                VALUES ('%1$s', '%2$s', '%3$s', '%7$s', 'acme', '%1$s', %4$d, 'EUR', 'pm_card_visa', '%5$s', 86400);
                INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
                VALUES ('%1$s', 'succeeded', 2, 1, 'stripe', 're_1', '%5$s'::timestamptz + interval '1 day', '%6$s')
                """.formatted(operation, payment, kind, amount, World.START, at(60), reference), """
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state,
                       failed_definite, request, request_sha256, sent_at, key_valid_until, decided_at)
                VALUES ('%6$s', '%1$s', '%2$s', '%3$s', '%5$s', 1, 1, 'stripe', 'succeeded', false, '', sha256(''), '%4$s',
                        '%4$s'::timestamptz + interval '1 day', '%4$s')
                """.formatted(operation, payment, kind, at(50), reference, RederivedId.ofAttempt(payment, kind, reference, "stripe", 1)));
        world.send("outcomes", operation, """
                {"type":"payment.outcome","version":1,"payment_id":"%s","operation":"%s","merchant":"acme","idempotency_key":"%s",
                 "status":"succeeded","amount":%d,"currency":"EUR","psp":"stripe","psp_reference":"re_1","attempts":1,"revision":2,
                 "settled_at":"%s"}""".formatted(payment, kind, operation, amount, at(60)), "ce_id", operation + "/2/outcome");
    }

    private void audit(String id, String action, int revision) {
        world.sql("""
                INSERT INTO audit_record (actor, action, resource_type, resource_id, data)
                VALUES ('dead-letter-queue', '%s', 'dead_letter', '%s', '{"revision":%d}')
                """.formatted(action, id, revision));
    }

    private long poison() {
        long offset = world.send("requests", "k", "no JSON at all");
        poison("psn_1", "undecodable", offset);
        return offset;
    }

    void poison(String id, String cause, long offset) {
        world.sql("""
                INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, source_partition, source_offset,
                                         sealed_record)
                VALUES ('%s', 'dead', '%s', 'why', 1, '%s.requests', 0, %d, '\\x01')
                """.formatted(id, cause, world.prefix, offset));
        audit(id, "dead_letter.entered", 1);
        world.send("dlq", id, "{\"revision\":1}");
    }

    @Override
    public void close() throws SQLException {
        world.close();
    }
}
