// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A retention that was shortened by mistake must not delete everything before a person sees it. */
class ReaperPaceTest {

    private final String url = TestStack.newDatabase();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Database database;
    private Reaper reaper;

    @BeforeEach
    void start() {
        IngestWorld.prepare(url);
        database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 1);
        reaper = new Reaper(database, meters);
    }

    @AfterEach
    void stop() {
        database.close();
    }

    /** Declined payments of that age. */
    private void payments(int count, int days) {
        IngestWorld.execute(url, """
                SET search_path = chargeonce;
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       accepted_at, charge_within_s)
                SELECT id, id, 'charge', 'acme', id, 1, 'EUR', 'pm', now() - interval '%2$d days', 0
                  FROM generate_series(1, %1$d) AS n CROSS JOIN LATERAL (SELECT '%2$d-' || n) AS named (id);
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path,
                                             resource_id, created_at)
                SELECT merchant_id, idempotency_key, sha256(''), 1, '/v1/payments', operation_id,
                       accepted_at + numbered.n * interval '1 ms'
                  FROM (SELECT *, row_number() OVER () AS n FROM operation WHERE operation_id LIKE '%2$d-%%') AS numbered;
                SET session_replication_role = replica;
                UPDATE operation_state SET state = 'declined', settled_at = now() - interval '%2$d days'""".formatted(count, days));
    }

    private long kept() {
        return IngestWorld.count(url, "SELECT count(*) FROM idempotency_key");
    }

    private double forgotten() {
        return meters.get("chargeonce.ingest.payments.forgotten").counter().count();
    }

    @Test
    void a_call_a_second_forgets_a_thousand_payments_at_most_and_counts_them() {
        payments(1500, 401);
        assertThat(reaper.runSlowly()).as("the worker waits after it").isZero();
        assertThat(kept()).isEqualTo(500);
        assertThat(forgotten()).isEqualTo(1000);
        reaper.runSlowly();
        assertThat(kept()).isZero();
        assertThat(forgotten()).isEqualTo(1500);
    }

    @Test
    void what_is_forgotten_follows_the_retention_in_the_database_and_after_an_empty_pass_it_rests() {
        payments(1, 100);
        reaper.runOnce();
        assertThat(kept()).isOne();
        IngestWorld.execute(url, "UPDATE chargeonce.agreed SET retention_days = 45");
        reaper.runOnce();
        assertThat(kept()).isZero();

        reaper.runSlowly();
        payments(1, 101);
        reaper.runSlowly();
        assertThat(kept()).isOne();
    }

    @Test
    void without_an_agreed_retention_nothing_is_forgotten() {
        payments(1, 3000);
        IngestWorld.execute(url, "DELETE FROM chargeonce.agreed");
        reaper.runOnce();
        assertThat(kept()).isOne();
    }
}
