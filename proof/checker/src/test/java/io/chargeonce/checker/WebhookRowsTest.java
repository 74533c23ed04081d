// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.finding.Invariant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebhookRowsTest {

    private Sample sample;
    private World world;

    @BeforeEach
    void open() {
        sample = new Sample();
        world = sample.world;
        world.sql("""
                INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex');
                INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at)
                VALUES ('whe_000000000000000000000001', 'acme', 'https://hooks.example/', '{*}', '2026-03-01T00:00:00Z')
                """, "SELECT stage_webhooks(ARRAY(SELECT operation_id FROM operation))");
    }

    @AfterEach
    void close() throws Exception {
        sample.close();
    }

    @Test
    void what_the_service_stages_is_in_balance() {
        assertThat(world.check().violations()).isEmpty();
    }

    private boolean misses(String payment) {
        return world.check().violations().stream()
                .anyMatch(found -> found.invariant() == Invariant.WEBHOOKS_AGREE && found.subject().filter(payment::equals).isPresent());
    }

    private void losesTheDeliveryOf(String payment) {
        world.sql("DELETE FROM webhook_delivery WHERE payment_id = '" + payment + "'",
                "UPDATE operation_state SET settled_at = now() WHERE state IN ('succeeded', 'declined')");
    }

    @Test
    void an_ended_payment_without_a_delivery_is_found_once_later_ones_have_theirs() {
        losesTheDeliveryOf(sample.charged);
        assertThat(misses(sample.charged)).as("its turn may still come").isFalse();
        world.sql("UPDATE webhook_delivery SET created_at = now() + interval '1 hour'");
        assertThat(misses(sample.charged)).isTrue();
        assertThat(misses(sample.declined)).as("it has its delivery").isFalse();
        world.sql("UPDATE operation_state SET settled_at = now() - interval '18 days' WHERE operation_id = '" + sample.charged + "'",
                "UPDATE webhook_endpoint SET created_at = now() - interval '30 days'");
        assertThat(misses(sample.charged)).as("the topic keeps its record for 14 days, so a standstill loses what is older").isTrue();
        world.sql("UPDATE operation_state SET settled_at = now() - interval '20 days' WHERE operation_id = '" + sample.charged + "'");
        assertThat(misses(sample.charged)).as("it may have been forgotten").isFalse();
    }

    @Test
    void an_endpoint_that_wants_other_events_or_came_later_or_was_removed_misses_nothing() {
        losesTheDeliveryOf(sample.charged);
        world.sql("UPDATE webhook_delivery SET created_at = now() + interval '1 hour'");
        assertThat(misses(sample.charged)).isTrue();
        world.sql("UPDATE webhook_endpoint SET events = '{refund.succeeded}'");
        assertThat(misses(sample.charged)).isFalse();
        world.sql("UPDATE webhook_endpoint SET events = '{*}', created_at = now() + interval '1 second'");
        assertThat(misses(sample.charged)).isFalse();
        world.sql("UPDATE webhook_endpoint SET created_at = '2026-03-01T00:00:00Z', disabled_by = 'removed', disabled_at = now()");
        assertThat(misses(sample.charged)).isFalse();
        world.sql("UPDATE webhook_endpoint SET disabled_by = 'person'");
        assertThat(misses(sample.charged)).as("a disabled one has a dead delivery").isTrue();
    }

    @Test
    void a_delivery_that_says_more_than_happened_is_found() {
        world.sql("UPDATE webhook_delivery SET body = replace(body, 'declined', 'succeeded'), event_type = 'payment.succeeded' "
                + "WHERE payment_id = '" + sample.declined + "'");
        assertThat(world.check().violations()).isNotEmpty()
                .allMatch(violation -> violation.invariant() == Invariant.WEBHOOKS_AGREE && violation.toString().contains(sample.declined));
    }

    @Test
    void a_delivery_with_another_amount_is_found() {
        world.sql("UPDATE webhook_delivery SET body = replace(body, '1299', '1300') WHERE payment_id = '" + sample.charged + "'");
        world.breaks(Invariant.WEBHOOKS_AGREE, sample.charged);
    }

    @Test
    void a_delivery_to_another_merchant_is_found() {
        world.sql("""
                INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events)
                VALUES ('whe_000000000000000000000002', 'globex', 'https://hooks.example/', '{*}')
                """, "INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body) SELECT 'msg_wrong', "
                + "'whe_000000000000000000000002', event_type, payment_id, body FROM webhook_delivery WHERE payment_id = '"
                + sample.charged + "'");
        world.breaks(Invariant.WEBHOOKS_AGREE, sample.charged);
    }

    private void dispute() {
        world.disputed("du_1", sample.charged, 1299, "opened", "taken");
        world.send("disputes", "stripe/du_1", """
                {"stage":"opened","funds":"taken","revision":1,"changed_at":"2026-03-02T10:00:00Z"}""");
        world.sql("""
                INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank,
                                     refundable, answered, revision)
                VALUES ('stripe', 'du_1', '%s', 1299, 'EUR', 'fraudulent', 'opened', 1, false, 'taken', 1, false, false, 1)
                """.formatted(sample.charged));
    }

    @Test
    void a_dispute_without_a_delivery_is_found_once_later_ones_have_theirs() {
        dispute();
        assertThat(misses(sample.charged)).as("its turn may still come").isFalse();
        world.sql("UPDATE webhook_delivery SET created_at = now() + interval '1 hour'");
        assertThat(misses(sample.charged)).isTrue();
        world.sql("SELECT stage_webhooks(ARRAY['stripe/du_1'])");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void a_delivery_about_a_dispute_that_says_another_thing_than_its_row_is_found() {
        dispute();
        world.sql("SELECT stage_webhooks(ARRAY['stripe/du_1'])", "UPDATE webhook_delivery SET body = replace(body, 'taken', 'returned')");
        world.breaks(Invariant.WEBHOOKS_AGREE, sample.charged);
    }
}
