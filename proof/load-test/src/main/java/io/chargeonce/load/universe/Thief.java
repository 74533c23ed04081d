// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A thief with the stolen login of a service, who tries on the existing rows what that service may not do. Only the strand that has the
 * turn may call it.
 */
final class Thief {

    private static final List<String> SERVICES = List.of("chargeonce_ingest", "chargeonce_charge", "chargeonce_retry",
            "chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_eraser", "chargeonce_merchant_admin");
    private static final int TRIES = 8;

    private static final List<String> BY_ANYONE = List.of(
            "UPDATE operation SET amount = 999900", "UPDATE operation SET merchant_id = 'shop-2'",
            "UPDATE operation SET idempotency_key = 'another'",
            "DELETE FROM operation", "TRUNCATE operation, capture_failure, dispute", "DELETE FROM operation_state",
            "TRUNCATE payment_attempt",
            "UPDATE operation_state SET state = 'accepted', settled_at = NULL WHERE state IN ('succeeded', 'declined')",
            "UPDATE operation_state SET state = 'dead', settled_at = NULL WHERE state = 'succeeded'",
            "UPDATE payment_attempt SET psp_key = 'another'", "UPDATE payment_attempt SET request = 'y'",
            "UPDATE payment_attempt SET failed_definite = true, state = 'failed_definite' WHERE state = 'succeeded'",
            "UPDATE payment_attempt SET state = 'unknown' WHERE state IN ('succeeded', 'failed_definite')",
            "UPDATE payment_attempt SET psp_reference = 'pi_of_another' WHERE charged_at_once",
            "DELETE FROM payment_attempt", "UPDATE psp_observation SET outcome = 'charged'", "DELETE FROM psp_observation",
            "UPDATE merchant_token SET merchant_id = 'shop-2'", "UPDATE merchant_token SET revoked_at = NULL WHERE revoked_at IS NOT NULL",
            "UPDATE audit_seal SET records = 1", "DELETE FROM audit_seal", "DELETE FROM audit_record",
            "UPDATE audit_record SET actor = 'another'",
            "DELETE FROM waiting", "DELETE FROM dead_letter", "UPDATE dead_letter SET amount = 1",
            "INSERT INTO operation SELECT * FROM operation", "INSERT INTO payment_attempt SELECT * FROM payment_attempt");

    private static final List<String> BY_WHO_CHARGES = List.of(
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = 'pi_of_another', settled_at = now() WHERE "
                    + "state = 'dead'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1 WHERE state = 'dead'",
            "UPDATE operation_state SET charge_before = now() + interval '10 years' WHERE state = 'accepted'",
            "UPDATE operation_state SET psp_reference = 'pi_of_another' WHERE state = 'succeeded'",
            "UPDATE operation_state SET state = 'purged', resolve_at = NULL, step = step + 1 WHERE state = 'unresolved'");

    /** Who makes attempts tells outcomes, and is believed. */
    private static final String BY_OTHERS = """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_x', \
            '{"status":"succeeded"}', '{}')
            """;

    private final Kernel kernel;
    private final PostgresView postgres;
    private final UniverseWitness witness;

    Thief(Kernel kernel, PostgresView postgres, UniverseWitness witness) {
        this.kernel = kernel;
        this.postgres = postgres;
        this.witness = witness;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.THEFT, this::tryAll);
    }

    private void tryAll() {
        String service = SERVICES.get(kernel.random().nextInt(SERVICES.size()));
        kernel.tell("a stolen login tried", "a thief has the login of " + service);
        var thefts = new ArrayList<>(BY_ANYONE);
        if (service.equals("chargeonce_charge") || service.equals("chargeonce_retry")) {
            thefts.addAll(BY_WHO_CHARGES);
        } else {
            thefts.add(BY_OTHERS);
        }
        for (int i = 0; i < TRIES; i++) {
            String theft = thefts.remove(kernel.random().nextInt(thefts.size()));
            int rows = postgres.rowsChangedBy(service, theft);
            if (rows > 0) {
                witness.saw(Invariant.RIGHTS_HOLD, "%s could change %d rows: %s".formatted(service, rows, theft));
            }
        }
    }
}
