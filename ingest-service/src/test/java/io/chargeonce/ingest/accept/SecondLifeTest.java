// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.Json;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.Topics;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A key that was forgotten is used again: the payment has the same id, and its news is not taken for old news. */
class SecondLifeTest {

    private static final String KEY = "order-17";
    private static final Topics TOPICS = new Topics("payments");

    private static IngestWorld world;
    private static Database owner;

    @BeforeAll
    static void start() {
        String url = TestStack.newDatabase();
        world = IngestWorld.start(url).withoutReaper();
        owner = Database.open(url, "postgres", "", 1);
        world.execute("INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at) VALUES "
                + "('whe_000000000000000000000001', 'acme', 'https://hooks.example/', '{*}', now() - interval '9 years')");
    }

    @AfterAll
    static void stop() {
        owner.close();
        world.close();
    }

    /** What is told of a success: the ids of its webhook, receipt, outcome and of the job for the receipt. */
    private static List<String> success(String id) {
        world.become(KEY, "state = 'succeeded', psp = 'stripe', psp_reference = 'pi', settled_at = now() - interval '401 days'");
        world.execute("SELECT stage_webhooks('{%1$s}'), stage_receipts('{%1$s}')".formatted(id));
        List<String> told = world.texts("SELECT webhook_id FROM webhook_delivery UNION ALL SELECT receipt_id FROM receipt");
        assertThat(told).hasSize(2);
        return List.of(told.get(0), told.get(1), eventId(Staging::outcome, id), eventId(Staging::receipt, id));
    }

    private static String eventId(BiFunction<Topics, Operation, OutboxRow> staging, String id) {
        Operation operation = owner.withConnection(connection -> OperationTable.find(connection, id)).orElseThrow();
        return staging.apply(TOPICS, operation).headers().get("ce_id");
    }

    @Test
    void the_second_payment_of_a_key_gets_its_webhook_and_receipt_and_all_its_ids_differ_from_those_of_the_first() {
        String id = Json.text(world.pay(KEY, IngestWorld.BODY).body(), "id");
        world.execute("""
                UPDATE idempotency_key SET created_at = now() - interval '402 days';
                SET session_replication_role = replica;
                UPDATE operation SET accepted_at = now() - interval '402 days'; RESET session_replication_role""");
        List<String> first = success(id);
        world.execute("SELECT forget_settled_payments(10)");
        assertThat(world.count("SELECT count(*) FROM operation")).isZero();

        assertThat(Json.text(world.pay(KEY, IngestWorld.BODY).body(), "id")).isEqualTo(id);
        assertThat(success(id)).doesNotContainAnyElementsOf(first);
    }
}
