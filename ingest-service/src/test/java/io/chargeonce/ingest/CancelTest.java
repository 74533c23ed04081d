// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A merchant cancels a payment over HTTP, with the rights of the service's own login. */
class CancelTest {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();
    private final String id = Json.text(world.pay(key, IngestWorld.BODY).body(), "id");

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static HttpResponse<String> post(String path, String body) {
        return world.send(world.request("/v1/payments/" + path).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)).build());
    }

    private HttpResponse<String> cancel() {
        return post(id + "/cancel", "{\"reason\": \"order cancelled\"}");
    }

    private static String status(HttpResponse<String> payment) {
        return Json.text(payment.body(), "status");
    }

    private HttpResponse<String> now() {
        return world.get("/v1/payments/" + id);
    }

    @Test
    void it_is_canceled_at_once_and_a_repeat_gives_the_same() {
        HttpResponse<String> first = cancel();
        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(status(first)).isEqualTo("canceled");
        assertThat(Json.text(Json.at(first.body(), "cancel"), "outcome")).isEqualTo("canceled");
        HttpResponse<String> again = cancel();
        assertThat(again.statusCode()).isEqualTo(202);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(now().body()).isEqualTo(first.body());
        assertThat(world.pay(key, IngestWorld.BODY).headers().firstValue("Payment-Status")).hasValue("canceled");
        assertThat(
                world.texts("SELECT reason || ' ' || actor FROM audit_record WHERE action = 'payment.cancel_requested' AND resource_id = '"
                        + id + "'"))
                .containsExactly("order cancelled merchant:acme");
    }

    @ParameterizedTest
    @ValueSource(strings = {"processing", "unresolved"})
    void an_open_attempt_is_queried_first(String state) {
        world.become(key,
                "state = '%s', psp = 'stripe', sequence = 1, lease_token = gen_random_uuid(), resolve_at = now()".formatted(state));
        HttpResponse<String> first = cancel();
        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(status(first)).isEqualTo("canceling");
        assertThat(Json.at(first.body(), "cancel")).doesNotContain("outcome");
        assertThat(status(cancel())).isEqualTo("canceling");
    }

    @ParameterizedTest
    @CsvSource({"succeeded,already-captured", "declined,payment-declined"})
    void what_has_ended_says_so(String state, String problem) {
        world.become(key, "state = '%s', psp = 'stripe', psp_reference = 'pi_1', settled_at = now()".formatted(state));
        HttpResponse<String> refused = cancel();
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Json.text(refused.body(), "type")).isEqualTo("urn:chargeonce:problem:" + problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead", "purged"})
    void what_a_person_has_to_look_for_at_its_psp_counts_as_captured(String state) {
        world.become(key, "state = '%s', failure_cause = 'found_at_psp'".formatted(state));
        HttpResponse<String> refused = cancel();
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("urn:chargeonce:problem:already-captured", "has to look at");
        assertThat(Json.at(now().body(), "cancel")).doesNotContain("requested_at");
    }

    @Test
    void what_was_purged_for_good_stays_purged() {
        world.become(key, "state = 'purged', settled_at = now()");
        HttpResponse<String> answer = cancel();
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(status(answer)).isEqualTo("purged");
        assertThat(Json.at(answer.body(), "cancel")).doesNotContain("requested_at");
    }

    @Test
    void what_was_purged_for_good_after_its_cancel_is_canceling_no_more() {
        world.become(key, "state = 'purged', cancel_requested_at = now()");
        assertThat(status(now())).isEqualTo("canceling");
        world.become(key, "settled_at = now()");
        assertThat(status(now())).isEqualTo("purged");
        assertThat(Json.text(Json.at(now().body(), "cancel"), "outcome")).isEqualTo("cancel_too_late");
        assertThat(status(cancel())).isEqualTo("purged");
        assertThat(world.pay(key, IngestWorld.BODY).headers().firstValue("Payment-Status")).hasValue("purged");
    }

    @ParameterizedTest
    @CsvSource({"dead,needs_attention", "purged,purged"})
    void what_is_found_at_its_psp_after_its_cancel_is_canceling_no_more(String state, String word) {
        world.become(key, "state = '%s', cancel_requested_at = now(), failure_cause = 'found_at_psp'".formatted(state));
        assertThat(status(now())).isEqualTo(word);
        assertThat(Json.at(now().body(), "cancel")).contains("requested_at").doesNotContain("outcome");
        assertThat(world.pay(key, IngestWorld.BODY).headers().firstValue("Payment-Status")).hasValue(word);
    }

    @Test
    void a_cancel_that_came_too_late_says_so() {
        world.become(key, "state = 'succeeded', psp = 'stripe', psp_reference = 'pi_1', settled_at = now(), cancel_requested_at = now()");
        assertThat(status(now())).isEqualTo("succeeded");
        assertThat(Json.text(Json.at(now().body(), "cancel"), "outcome")).isEqualTo("cancel_too_late");
    }

    @Test
    void a_refund_of_a_canceled_payment_says_that_it_is_canceled() {
        cancel();
        HttpResponse<String> refused = post(id + "/refunds", "{}");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Json.text(refused.body(), "type")).isEqualTo("urn:chargeonce:problem:payment-canceled");
    }

    @Test
    void what_is_not_there_and_what_is_wrong_is_refused() {
        assertThat(post("pay_aaaaaaaaaaaaaaaaaaaaaaaaaa/cancel", "{}").statusCode()).isEqualTo(404);
        assertThat(post(id + "/cancel", "{\"reason\": \"\"}").statusCode()).isEqualTo(400);
        assertThat(post(id + "/cancel", "{\"why\": \"x\"}").statusCode()).isEqualTo(400);
        assertThat(post(id + "/cancel", "{\"reason\": \"card 4242424242424242\"}").body()).contains("card-number-not-allowed");
        assertThat(world.get("/v1/payments/" + id + "/cancel").statusCode()).isEqualTo(405);
        assertThat(status(now())).isEqualTo("accepted");
    }
}
