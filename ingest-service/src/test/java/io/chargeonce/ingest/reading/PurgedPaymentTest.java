// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.Json;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A producer can tell a payment that a person has ended from one that still waits for a person. */
class PurgedPaymentTest {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private String became(String columns) {
        String id = Json.text(world.pay(key, IngestWorld.BODY).body(), "id");
        world.become(key, columns);
        return world.get("/v1/payments/" + id).body();
    }

    private static String purge(String payment, String field) {
        return Json.text(Json.at(payment, "purge"), field);
    }

    @Test
    void a_dead_payment_needs_attention_and_was_not_purged() {
        String payment = became("state = 'dead'");
        assertThat(Json.text(payment, "status")).isEqualTo("needs_attention");
        assertThat(payment).doesNotContain("purge");
    }

    @Test
    void what_was_purged_for_good_says_that_it_will_never_be_charged() {
        String payment = became("state = 'purged', settled_at = now()");
        assertThat(Json.text(payment, "status")).isEqualTo("purged");
        assertThat(purge(payment, "final")).isEqualTo("true");
        assertThat(purge(payment, "detail")).contains("was not charged and will not be charged");
        assertThat(world.pay(key, IngestWorld.BODY).headers().firstValue("Payment-Status")).hasValue("purged");
    }

    @Test
    void while_a_purge_can_be_undone_it_says_so() {
        String payment = became("state = 'purged'");
        assertThat(Json.text(payment, "status")).isEqualTo("purged");
        assertThat(purge(payment, "final")).isEqualTo("false");
        assertThat(purge(payment, "detail")).contains("will not be charged unless the purge is undone");
    }

    @Test
    void while_the_psp_is_asked_about_an_attempt_nothing_is_promised() {
        String payment = became("state = 'purged', settled_at = now(), resolve_at = now()");
        assertThat(Json.text(payment, "status")).isEqualTo("purged");
        assertThat(purge(payment, "final")).isEqualTo("false");
        assertThat(purge(payment, "detail")).contains("may have taken the money").doesNotContain("will not be charged unless");
    }

    @Test
    void a_purged_refund_says_so_too() {
        String id = Json.text(became("state = 'succeeded', psp = 'stripe', psp_reference = 'pi_1', settled_at = now()"), "id");
        world.send(world.request("/v1/payments/" + id + "/refunds").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}")).build());
        world.rewrite("UPDATE operation_state SET state = 'purged' WHERE operation_id = 'payment-" + id + "-refund'");
        assertThat(Json.text(world.get("/v1/payments/" + id + "/refunds/payment-" + id + "-refund").body(), "status")).isEqualTo("purged");
    }
}
