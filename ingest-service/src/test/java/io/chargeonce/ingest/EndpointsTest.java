// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.endpoints.EndpointSettings;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A merchant manages its webhook endpoints with its own token. */
class EndpointsTest {

    private static final String PATH = "/v1/webhook-endpoints";
    private static final String ENDPOINT = "{\"url\": \"https://hooks.example/a\"}";
    private static IngestWorld world;
    /** Each test has a merchant of its own: endpoints are limited. */
    private final String merchant = merchant("{pay,refund,read,webhooks}");

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    /** Its id is its token too. */
    private static String merchant(String scopes) {
        String name = "m-" + UUID.randomUUID();
        world.execute(("INSERT INTO merchant (merchant_id, duplicate_window_ms) VALUES ('%1$s', 0); INSERT INTO merchant_token "
                + "(token_sha256, merchant_id, scopes) VALUES (sha256('%1$s'), '%1$s', '%2$s')").formatted(name, scopes));
        return name;
    }

    private static HttpResponse<String> call(String token, String method, String path, String body) {
        return world.send(world.request(path).setHeader("Authorization", "Bearer " + token).header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body)).build());
    }

    private HttpResponse<String> call(String method, String path, String body) {
        return call(merchant, method, path, body);
    }

    private String added() {
        HttpResponse<String> added = call("POST", PATH, ENDPOINT);
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        return Json.text(added.body(), "id");
    }

    private static String delivery(String endpoint, String payment, String state, int seconds) {
        String id = "msg_" + UUID.randomUUID().toString().replace("-", "");
        world.execute(("INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, attempts, created_at, "
                + "ended_at) VALUES ('%s', '%s', 'payment.succeeded', '%s', '{}', '%s', 11, timestamptz '2026-01-01' "
                + "+ %d * interval '1s', %s)")
                .formatted(id, endpoint, payment, state, seconds, state.equals("waiting") ? "NULL" : "now()"));
        return id;
    }

    @Test
    void a_merchant_adds_changes_and_removes_an_endpoint_and_sees_its_secret_once() {
        HttpResponse<String> added = call("POST", PATH, "{\"url\": \"https://hooks.example/a\", \"events\": [\"payment.succeeded\"]}");
        assertThat(added.statusCode()).isEqualTo(201);
        assertThat(Json.text(added.body(), "secret")).matches("whsec_[A-Za-z0-9+/]{43}=");
        String one = added.headers().firstValue("Location").orElseThrow();
        String id = Json.text(added.body(), "id");

        assertThat(call("GET", PATH, "").body()).contains(id, "\"state\":\"enabled\"").doesNotContain("whsec_");
        assertThat(call("GET", one, "").body()).contains("\"events\":[\"payment.succeeded\"]").doesNotContain("whsec_");
        HttpResponse<String> rotated = call("POST", one + "/rotate", "{\"overlap_seconds\": 60}");
        assertThat(Json.text(rotated.body(), "secret")).startsWith("whsec_").isNotEqualTo(Json.text(added.body(), "secret"));
        assertThat(rotated.body()).contains("\"secrets\":2");
        assertThat(call("POST", one + "/disable", "").body()).contains("disabled_by_its_merchant");
        assertThat(call("POST", one + "/disable", "").statusCode()).isEqualTo(200);
        assertThat(IngestWorld.type(call("POST", one + "/test", ""))).endsWith("endpoint-disabled");
        assertThat(IngestWorld.type(call("POST", one + "/redeliver", ""))).endsWith("endpoint-disabled");
        assertThat(call("POST", one + "/enable", "").body()).contains("\"state\":\"enabled\"");
        assertThat(Json.text(call("POST", one + "/test", "").body(), "webhook_id")).startsWith("msg_");
        assertThat(call("DELETE", one, "").statusCode()).isEqualTo(200);
        assertThat(call("DELETE", one, "").statusCode()).isEqualTo(404);
        assertThat(call("GET", PATH, "").body()).isEqualTo("{\"data\":[]}");
        assertThat(call("POST", one + "/enable", "").statusCode()).isEqualTo(404);
        assertThat(call("POST", one + "/rotate", "{}").statusCode()).isEqualTo(404);

        assertThat(world.count("SELECT count(*) FROM webhook_secret WHERE endpoint_id = '" + id + "'")).isZero();
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE resource_id = '" + id + "' AND actor = 'merchant:" + merchant
                + "' AND session_role = 'chargeonce_ingest' AND action IN ('webhook.added', 'webhook.rotated', 'webhook.disabled', "
                + "'webhook.enabled', 'webhook.tested', 'webhook.removed')")).isEqualTo(6);
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE audit_record::text LIKE '%whsec_%'")).isZero();
    }

    @Test
    void another_merchants_endpoint_is_as_unknown_as_one_that_does_not_exist() {
        String endpoint = added();
        String theirs = delivery(endpoint, "pay_x", "dead", 0);
        String thief = merchant("{pay,refund,read,webhooks}");
        for (String id : List.of(endpoint, "whe_0123456789abcdef01234567", "x")) {
            String one = PATH + "/" + id;
            assertThat(call(thief, "GET", one, "").statusCode()).isEqualTo(404);
            assertThat(call(thief, "DELETE", one, "").statusCode()).isEqualTo(404);
            assertThat(call(thief, "GET", one + "/deliveries", "").statusCode()).isEqualTo(404);
            assertThat(call(thief, "POST", one + "/rotate", "{}").statusCode()).isEqualTo(404);
            for (String action : List.of("test", "disable", "enable", "redeliver", "deliveries/" + theirs + "/redeliver")) {
                assertThat(call(thief, "POST", one + "/" + action, "").statusCode()).as(action).isEqualTo(404);
            }
        }
        assertThat(call(thief, "GET", PATH, "").body()).isEqualTo("{\"data\":[]}");
        assertThat(call("GET", PATH + "/" + endpoint, "").body()).contains("\"state\":\"enabled\"", "\"secrets\":1");
        assertThat(world.count("SELECT count(*) FROM webhook_delivery WHERE webhook_id = '" + theirs + "' AND state = 'dead'")).isOne();
    }

    @Test
    void a_token_needs_the_scope_webhooks_and_for_a_payments_deliveries_the_scope_read() {
        String till = merchant("{pay,refund,read}");
        assertThat(IngestWorld.type(call(till, "POST", PATH, ENDPOINT))).endsWith("scope-missing");
        assertThat(call(till, "GET", PATH, "").statusCode()).isEqualTo(403);
        assertThat(call(till, "DELETE", PATH + "/whe_0123456789abcdef01234567", "").statusCode()).isEqualTo(403);
        String admin = merchant("{webhooks}");
        assertThat(call(admin, "POST", PATH, ENDPOINT).statusCode()).isEqualTo(201);
        assertThat(call(admin, "GET", "/v1/payments/pay_x/deliveries", "").statusCode()).isEqualTo(403);
    }

    @Test
    void of_many_additions_at_once_twenty_pass_and_a_removal_makes_room() throws Exception {
        List<Integer> statuses = atOnce(26, () -> persistent(PATH, ENDPOINT));
        assertThat(statuses).filteredOn(status -> status == 201).hasSize(20);
        assertThat(statuses).filteredOn(status -> status == 409).hasSize(6);
        assertThat(IngestWorld.type(call("POST", PATH, ENDPOINT))).endsWith("too-many-endpoints");
        String first = Json.texts(call("GET", PATH, "").body(), "data", "id").getFirst();
        assertThat(call("DELETE", PATH + "/" + first, "").statusCode()).isEqualTo(200);
        assertThat(call("POST", PATH, ENDPOINT).statusCode()).isEqualTo(201);
    }

    @Test
    void of_secrets_that_replace_each_other_at_once_one_stays_for_good() throws Exception {
        String endpoint = added();
        assertThat(atOnce(8, () -> persistent(PATH + "/" + endpoint + "/rotate", "{}"))).filteredOn(status -> status == 200)
                .hasSize(4);
        String secrets = "SELECT count(*) FROM webhook_secret WHERE endpoint_id = '" + endpoint + "'";
        assertThat(world.count(secrets)).isEqualTo(5);
        assertThat(world.count(secrets + " AND expires_at IS NULL")).isOne();
        assertThat(IngestWorld.type(call("POST", PATH + "/" + endpoint + "/rotate", "{}"))).endsWith("too-many-secrets");
        assertThat(call("POST", PATH + "/" + endpoint + "/rotate", "{\"overlap_seconds\": 0}").statusCode()).isEqualTo(200);
        assertThat(world.count(secrets)).isOne();
    }

    /** Who waits too long for the others gets a 503, and asks again as it says. */
    private int persistent(String path, String body) {
        int status;
        do {
            status = call("POST", path, body).statusCode();
        } while (status == 503);
        return status;
    }

    private static <T> List<T> atOnce(int times, Callable<T> call) throws Exception {
        try (var threads = Executors.newFixedThreadPool(times)) {
            List<Future<T>> all = threads.invokeAll(IntStream.range(0, times).mapToObj(each -> call).toList());
            return all.stream().map(Future::resultNow).toList();
        }
    }

    @Test
    void what_a_person_with_the_role_for_merchants_has_disabled_stays_disabled() {
        String one = PATH + "/" + added();
        world.execute("UPDATE webhook_endpoint SET disabled_by = 'person', disabled_at = now() WHERE merchant_id = '" + merchant + "'");
        assertThat(IngestWorld.type(call("POST", one + "/enable", ""))).endsWith("endpoint-held");
        assertThat(call("POST", one + "/disable", "").statusCode()).isEqualTo(200);
        assertThat(IngestWorld.type(call("DELETE", one, ""))).endsWith("endpoint-held");
        assertThat(call("GET", one, "").body()).contains("disabled_by_a_person");
        for (String address : List.of("https://hooks.example/a", "https://hooks.example:8443/b?c", "https://HOOKS.example./")) {
            assertThat(IngestWorld.type(call("POST", PATH, "{\"url\": \"" + address + "\"}"))).as(address).endsWith("endpoint-held");
        }
        assertThat(call("POST", PATH, "{\"url\": \"https://other.example/a\"}").statusCode()).isEqualTo(201);
        assertThat(call(merchant("{webhooks}"), "POST", PATH, ENDPOINT).statusCode()).isEqualTo(201);
        world.execute(
                "UPDATE webhook_endpoint SET disabled_by = 'failing' WHERE disabled_by = 'person' AND merchant_id = '" + merchant + "'");
        assertThat(call("POST", one + "/enable", "").body()).contains("\"state\":\"enabled\"");
    }

    @Test
    void tests_of_an_endpoint_are_limited_because_its_address_may_be_a_strangers() {
        String test = PATH + "/" + added() + "/test";
        IntStream.range(0, 10).forEach(each -> assertThat(call("POST", test, "").statusCode()).isEqualTo(202));
        HttpResponse<String> refused = call("POST", test, "");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
    }

    @Test
    void redeliveries_of_one_are_limited_together_with_tests() {
        String endpoint = added();
        String again = PATH + "/" + endpoint + "/deliveries/" + delivery(endpoint, "pay_x", "delivered", 0) + "/redeliver";
        IntStream.range(0, 5).forEach(each -> assertThat(call("POST", again, "").statusCode()).isEqualTo(202));
        IntStream.range(0, 5).forEach(each -> assertThat(call("POST", PATH + "/" + endpoint + "/test", "").statusCode()).isEqualTo(202));
        assertThat(IngestWorld.type(call("POST", again, ""))).endsWith("too-many-tests");
        assertThat(call("POST", PATH + "/" + endpoint + "/test", "").statusCode()).isEqualTo(429);
    }

    @Test
    void deliveries_are_listed_in_pages_by_state_and_of_a_payment_and_sent_again() {
        String endpoint = added();
        String deliveries = PATH + "/" + endpoint + "/deliveries";
        String payment = Json.text(world.send(world.payment("k", IngestWorld.BODY).setHeader("Authorization", "Bearer " + merchant).build())
                .body(), "id");
        String first = delivery(endpoint, payment, "delivered", 1);
        String second = delivery(endpoint, payment, "dead", 2);
        String third = delivery(endpoint, "pay_other", "dead", 2);
        List<String> newestFirst = List.of(second.compareTo(third) > 0 ? second : third, second.compareTo(third) > 0 ? third : second);

        HttpResponse<String> page = call("GET", deliveries + "?limit=1", "");
        assertThat(Json.texts(page.body(), "data", "webhook_id")).containsExactly(newestFirst.getFirst());
        HttpResponse<String> next = call("GET", deliveries + "?limit=2&cursor=" + Json.text(page.body(), "next_cursor"), "");
        assertThat(Json.texts(next.body(), "data", "webhook_id")).containsExactly(newestFirst.getLast(), first);
        assertThat(next.body()).doesNotContain("next_cursor");
        assertThat(Json.texts(call("GET", deliveries + "?state=delivered", "").body(), "data", "webhook_id")).containsExactly(first);
        assertThat(Json.texts(call("GET", "/v1/payments/" + payment + "/deliveries", "").body(), "data", "webhook_id"))
                .containsExactly(second, first);
        assertThat(call(merchant("{read}"), "GET", "/v1/payments/" + payment + "/deliveries", "").statusCode()).isEqualTo(404);

        assertThat(call("POST", PATH + "/" + added() + "/deliveries/" + first + "/redeliver", "").statusCode()).isEqualTo(404);
        HttpResponse<String> again = call("POST", deliveries + "/" + first + "/redeliver", "");
        assertThat(again.statusCode()).isEqualTo(202);
        assertThat(again.body()).contains("\"state\":\"waiting\"", "\"attempts\":0");
        assertThat(call("POST", PATH + "/" + endpoint + "/redeliver", "").body()).isEqualTo("{\"redelivered\":2}");
        assertThat(call("POST", PATH + "/" + endpoint + "/redeliver", "").body()).isEqualTo("{\"redelivered\":0}");
    }

    @Test
    void everything_of_a_time_is_sent_again_but_not_what_was_delivered_just_now() {
        String endpoint = added();
        delivery(endpoint, "pay_before", "delivered", 0);
        String first = delivery(endpoint, "pay_first", "delivered", 10);
        String dead = delivery(endpoint, "pay_dead", "dead", 11);
        String last = delivery(endpoint, "pay_last", "delivered", 20);
        world.execute("UPDATE webhook_delivery SET ended_at = now() - interval '11 minutes' WHERE endpoint_id = '" + endpoint + "'");
        delivery(endpoint, "pay_just_now", "delivered", 12);
        String since = PATH + "/" + endpoint + "/redeliver?since=" + createdAt(first);

        assertThat(call("POST", since + "&until=" + createdAt(last), "").body()).isEqualTo("{\"redelivered\":2}");
        String waiting = "SELECT webhook_id FROM webhook_delivery WHERE state = 'waiting' AND endpoint_id = '" + endpoint + "'";
        assertThat(world.texts(waiting)).containsExactlyInAnyOrder(first, dead);
        assertThat(call("POST", since + "&until=" + createdAt(last), "").body()).isEqualTo("{\"redelivered\":0}");
        assertThat(call("POST", since, "").body()).isEqualTo("{\"redelivered\":1}");
        assertThat(world.texts(waiting)).containsExactlyInAnyOrder(first, dead, last);
    }

    /** Ten thousand take a slow endpoint longer than the ten minutes within which nothing is sent again. */
    @Test
    void a_second_request_goes_on_where_the_first_one_stopped_however_long_its_deliveries_took() {
        String endpoint = added();
        world.execute("""
                INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body, state, attempts, created_at, ended_at)
                SELECT webhook_id_of('%1$s', number::text), '%1$s', 'payment.succeeded', '{}', 'delivered', 1,
                       timestamptz '2026-01-01' + number * interval '1 us', now() - interval '1 day'
                  FROM generate_series(1, 10001) AS number""".formatted(endpoint));
        String redeliver = PATH + "/" + endpoint + "/redeliver?since=";
        HttpResponse<String> first = call("POST", redeliver + "2026-01-01T00:00:00Z", "");
        assertThat(first.body()).isEqualTo("{\"redelivered\":10000,\"next_since\":\"2026-01-01T00:00:00.010Z\"}");
        world.execute("UPDATE webhook_delivery SET state = 'delivered', ended_at = now() - interval '11 minutes' WHERE endpoint_id = '"
                + endpoint + "'");

        String rest = redeliver + Json.text(first.body(), "next_since");
        assertThat(call("POST", rest, "").body()).as("the last one, and the one behind it").isEqualTo("{\"redelivered\":2}");
    }

    private static String createdAt(String webhook) {
        return world.texts("SELECT webhook_time(created_at) FROM webhook_delivery WHERE webhook_id = '" + webhook + "'").getFirst();
    }

    @ParameterizedTest
    @ValueSource(strings = {"since=soon", "until=2026-01-01T00:00:00Z", "since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z",
        "since=2026-01-01T00:00:00Z&since=2026-01-02T00:00:00Z", "since=2026-01-01", "since=-99999-01-01T00:00:00Z",
        "since=2026-01-01T00:00:00Z&until="})
    void a_time_that_cannot_be_meant_is_refused(String query) {
        HttpResponse<String> refused = call("POST", PATH + "/" + added() + "/redeliver?" + query, "");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains("since and until are known here");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"url\": 7}", "{\"url\": \"http://hooks.example/\"}", "{\"url\": \"https://10.0.0.1/\"}",
        "{\"url\": \"https://[::ffff:127.0.0.1]/\"}", "{\"url\": \"https://0x7f.1/\"}", "{\"url\": \"https://localhost/\"}",
        "{\"url\": \"https://u:p@hooks.example/\"}", "{\"url\": \"https://hooks.example/\", \"events\": []}",
        "{\"url\": \"https://hooks.example/\", \"events\": [\"payment.paid\"]}", "{\"url\": \"https://hooks.example/\", \"events\": \"*\"}",
        "{\"url\": \"https://hooks.example/\", \"secret\": \"mine\"}", "{\"url\": \"https://hooks.example/4242424242424242\"}", "[]", "x",
        "{\"url\": \"https://hooks.example/\\u0000\"}"})
    void an_endpoint_that_can_never_work_is_refused(String body) {
        HttpResponse<String> refused = call("POST", PATH, body);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(call("GET", PATH, "").body()).isEqualTo("{\"data\":[]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"overlap_seconds\": -1}", "{\"overlap_seconds\": 604801}", "{\"overlap_seconds\": \"1\"}", "{\"x\": 1}",
        "{\"overlap_seconds\": null}", "{\"overlap_seconds\": 99999999999999999999}"})
    void a_rotation_that_cannot_be_meant_is_refused(String body) {
        assertThat(call("POST", PATH + "/whe_0123456789abcdef01234567/rotate", body).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?state=lost", "?limit=0", "?limit=101", "?cursor=x", "?limit=1&limit=2", "?cursor=MDAwMCBtc2dfeA"})
    void a_query_that_cannot_be_answered_is_refused(String query) {
        assertThat(call("GET", PATH + "/whe_0123456789abcdef01234567/deliveries" + query, "").statusCode()).isEqualTo(400);
    }

    @Test
    void without_the_key_that_seals_secrets_no_endpoint_is_added() {
        try (var service = world.startAnother(EndpointSettings.WITHOUT_KEY)) {
            HttpResponse<String> refused = world.send(IngestWorld.request(service, PATH).setHeader("Authorization", "Bearer " + merchant)
                    .header("Content-Type", "application/json").POST(BodyPublishers.ofString(ENDPOINT)).build());
            assertThat(refused.statusCode()).isEqualTo(501);
            assertThat(call("GET", PATH, "").body()).isEqualTo("{\"data\":[]}");
        }
    }

    /** A thief with the login of ingest manages nothing that no merchant asks for. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT add_webhook_endpoint(%s, '%m', 'whe_0123456789abcdef01234567', 'https://thief.example/', '{*}', 'x')",
        "SELECT rotate_webhook_secret(%s, 'whe_0123456789abcdef01234567', 'mine', 0)",
        "SELECT switch_webhook_endpoint(%s, 'whe_0123456789abcdef01234567', true)",
        "SELECT remove_webhook_endpoint(%s, 'whe_0123456789abcdef01234567')", "SELECT stage_test_webhook(%s, 'x')",
        "SELECT redeliver_webhooks(%s, 'x', 1)", "SELECT redeliver_webhook(%s, 'x')", "SELECT FROM webhook_endpoints(%s, '%m', NULL)",
        "SELECT FROM webhook_deliveries(%s, NULL, NULL, NULL, NULL, NULL, NULL, 10)", "SELECT FROM webhook_endpoint",
        "SELECT FROM webhook_secret", "SELECT FROM webhook_delivery", "SELECT webhook_owner(%s, 'read')"})
    void the_role_that_faces_the_internet_manages_nothing_without_a_merchants_token(String theft) throws SQLException {
        String till = merchant("{pay,refund,read}");
        world.execute("UPDATE merchant_token SET revoked_at = now() WHERE merchant_id = '" + merchant + "'");
        try (var connection = world.connectAsIngest(); var statement = connection.createStatement()) {
            for (String token : List.of("NULL", "sha256('guess')", "sha256('" + till + "')", "sha256('" + merchant + "')")) {
                String sql = theft.replace("%s", token).replace("%m", merchant);
                assertThatThrownBy(() -> statement.execute(sql)).as(sql).hasMessageContaining("permission denied");
            }
        }
    }
}
