// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointCommandTest {

    private static Hooks hooks;

    @BeforeAll
    static void open() {
        hooks = new Hooks();
    }

    @AfterAll
    static void close() throws Exception {
        hooks.close();
    }

    @Test
    void an_endpoint_is_added_listed_and_on_record_and_its_secret_is_shown_once() {
        var added = hooks.webhook("add", "--merchant", "acme", "--url", "https://hooks.example/a", "--events",
                "payment.succeeded,refund.succeeded");
        assertThat(added.exit()).as(added.err()).isZero();
        assertThat(added.out().strip()).matches("whsec_[A-Za-z0-9+/]{43}=");
        String id = added.err().replaceAll("(?s).*endpoint (whe_[0-9a-f]{24}) is shown.*", "$1");
        assertThat(hooks.webhook("list", "--merchant", "acme", "--json").out()).contains("\"id\":\"" + id + "\",\"merchant\":\"acme\","
                + "\"url\":\"https://hooks.example/a\",\"events\":[\"payment.succeeded\",\"refund.succeeded\"],\"state\":\"enabled\"")
                .doesNotContain("whsec_");
        assertThat(hooks.webhook("disable", id).exit()).isZero();
        assertThat(hooks.webhook("disable", id).exit()).isOne();
        assertThat(hooks.webhook("enable", id).exit()).isZero();
        assertThat(hooks.webhook("enable", id).exit()).isOne();
        assertThat(hooks.webhook("rotate", id).exit()).isZero();
        assertThat(hooks.text("SELECT string_agg(action || ' by ' || actor, ', ' ORDER BY audit_id) FROM audit_record WHERE resource_id = '"
                + id + "'")).isEqualTo("webhook.added by chargeonce_merchant_admin, webhook.disabled by chargeonce_merchant_admin, "
                        + "webhook.enabled by chargeonce_merchant_admin, webhook.rotated by chargeonce_merchant_admin");
        assertThat(hooks.text("SELECT count(*) FROM audit_record WHERE audit_record::text LIKE '%whsec_%'")).isEqualTo("0");
    }

    @Test
    void what_cannot_work_is_refused_with_what_to_do() {
        assertThat(hooks.webhook("add", "--merchant", "nobody", "--url", "https://hooks.example/").err()).contains("no merchant");
        assertThat(hooks.webhook("add", "--merchant", "acme", "--url", "http://hooks.example/").err()).contains("must be an https address");
        assertThat(hooks.webhook("add", "--merchant", "acme", "--url", "https://10.0.0.1/").err()).contains("no public address");
        assertThat(hooks.webhook("add", "--merchant", "acme", "--url", "https://hooks.example/", "--events", "payment.paid").err())
                .contains("payment.paid");
        assertThat(hooks.webhook("rotate", "whe_none").exit()).isOne();
        assertThat(hooks.webhook("redeliver", "msg_none").exit()).isOne();
        assertThat(hooks.webhook("rotate", "whe_none", "--overlap", "soon").exit()).isEqualTo(2);
        assertThat(hooks.webhook("deliveries", "--state", "lost").exit()).isEqualTo(2);
    }

    @Test
    void what_kafka_lost_is_made_once_by_the_payments_id_and_is_on_record() {
        hooks.endpoint("acme", "https://hooks.example/", "*");
        String payment = hooks.settled("acme", "succeeded");
        assertThat(hooks.webhook("redeliver", hooks.accepted("acme")).err()).contains("it has not ended");
        assertThat(hooks.webhook("redeliver", payment).out()).contains("Sends 1 that " + payment + " lacked");
        assertThat(hooks.text("SELECT payment_id || state FROM webhook_delivery")).isEqualTo(payment + "waiting");
        assertThat(hooks.webhook("redeliver", payment).exit()).isOne();
        assertThat(hooks.text("SELECT count(*) FROM webhook_delivery")).isEqualTo("1");
        assertThat(hooks.text("SELECT count(*) FROM audit_record WHERE action = 'webhook.staged'")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT FROM operation", "SELECT FROM operation_now", "SELECT FROM payment_attempt", "SELECT FROM outbox",
        "SELECT FROM merchant_token", "SELECT FROM merchant", "SELECT FROM dead_letter", "SELECT FROM audit_record",
        "INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body) SELECT 'msg_x', endpoint_id, 'payment.succeeded', '{}' "
                + "FROM webhook_endpoint",
        "UPDATE webhook_delivery SET body = '{}'", "UPDATE webhook_delivery SET event_type = 'x'", "DELETE FROM webhook_delivery",
        "UPDATE webhook_endpoint SET url = 'https://thief.example/'", "UPDATE webhook_endpoint SET disabled_by = NULL, disabled_at = NULL",
        "INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events) VALUES ('whe_0123456789abcdef01234567', 'acme', "
                + "'https://thief.example/', '{*}')",
        "INSERT INTO webhook_secret (endpoint_id, sealed_secret) SELECT endpoint_id, 'mine' FROM webhook_endpoint",
        "SELECT redeliver_webhooks(NULL, 'x', 1)", "SELECT redeliver_webhook(NULL, 'x')", "SELECT tell_of_disabled_endpoint(NULL, 'x')",
        "UPDATE webhook_secret SET expires_at = NULL", "SELECT stage_test_webhook(NULL, 'x')", "SELECT forget_webhooks('1 hour', 10)",
        "SELECT disable_failing_endpoints('1 minute')",
        "SELECT append_audit(NULL, ARRAY['webhook-sender'], ARRAY['webhook_endpoint.disabled'], ARRAY['x'], ARRAY['x'], NULL, NULL, NULL)"})
    void the_service_reads_no_payment_and_invents_no_webhook(String theft) {
        var database = hooks.database("chargeonce_webhooks");
        assertThatThrownBy(() -> database.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(theft);
            }
        })).as(theft).hasMessageMatching("(?s).*(permission denied|too short).*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT sealed_secret FROM webhook_secret", "UPDATE webhook_endpoint SET url = 'https://thief.example/'",
        "UPDATE webhook_delivery SET body = '{}'", "DELETE FROM webhook_endpoint", "UPDATE webhook_endpoint SET disabled_by = NULL",
        "INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES ('x', 'mine')", "SELECT stage_webhooks(ARRAY['x'])"})
    void who_manages_endpoints_reads_no_secret_and_changes_no_address(String theft) {
        var database = hooks.database("chargeonce_merchant_admin");
        assertThatThrownBy(() -> database.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(theft);
            }
        })).as(theft).hasMessageMatching("(?s).*(permission denied|never changes).*");
    }
}
