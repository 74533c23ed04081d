// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListPaymentsTest {

    private static IngestWorld world;
    private final String reference = "order-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private String pay(String key) {
        return Json.text(world.pay(key, Json.with(BODY, "reference", '"' + reference + '"')).body(), "id");
    }

    @Test
    void pages_show_every_payment_once_the_newest_first() {
        var sent = new ArrayList<String>();
        for (int i = 0; i < 7; i++) {
            sent.addFirst(pay(reference + i));
        }
        var seen = new ArrayList<String>();
        String cursor = "";
        do {
            String page = world.get("/v1/payments?limit=3&reference=" + reference + cursor).body();
            seen.addAll(Json.texts(page, "data", "id"));
            String next = Json.text(page, "next_cursor");
            cursor = next.isEmpty() ? "" : "&cursor=" + next;
        } while (!cursor.isEmpty());

        assertThat(seen).isEqualTo(sent);
    }

    @Test
    void payments_of_one_instant_are_neither_lost_nor_doubled_between_pages() {
        List<String> sent = List.of(pay(reference + 1), pay(reference + 2), pay(reference + 3));
        world.rewrite("UPDATE operation SET accepted_at = '2026-01-01' WHERE reference = '" + reference + "'");
        String first = world.get("/v1/payments?limit=2&reference=" + reference).body();
        String second = world.get("/v1/payments?limit=2&reference=" + reference + "&cursor=" + Json.text(first, "next_cursor")).body();
        var seen = new ArrayList<>(Json.texts(first, "data", "id"));
        seen.addAll(Json.texts(second, "data", "id"));

        assertThat(seen).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(Json.text(second, "next_cursor")).isEmpty();
    }

    @Test
    void nobody_sees_the_payments_of_another() {
        pay(reference);
        HttpResponse<String> foreign = world.send(world.request("/v1/payments?reference=" + reference)
                .setHeader("Authorization", "Bearer test_globex").build());

        assertThat(foreign.body()).isEqualTo("{\"data\":[]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1000000000-12-31T23:59:59.999999999Z", "-1000000000-01-01T00:00:00Z", "+294277-01-01T00:00:00Z",
        "-4713-01-01T00:00:00Z"})
    void a_forged_cursor_is_refused_and_breaks_nothing(String time) {
        byte[] cursor = (time + " " + pay(reference)).getBytes(StandardCharsets.UTF_8);
        String forged = Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);

        HttpResponse<String> answer = world.get("/v1/payments?reference=" + reference + "&cursor=" + forged);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:invalid-query");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "with&signs=?#", "a/b%20c", "\"quoted\"", "~!@$^*()[]{}|;:,.<>"})
    void a_payment_is_found_by_its_key_and_by_no_other_merchant(String key) {
        String mine = reference + key;
        String id = pay(mine);
        String query = "/v1/payments?idempotency_key=" + URLEncoder.encode(mine, StandardCharsets.UTF_8);

        assertThat(Json.texts(world.get(query).body(), "data", "id")).containsExactly(id);
        assertThat(world.get(query + "x").body()).isEqualTo("{\"data\":[]}");
        assertThat(world.send(world.request(query).setHeader("Authorization", "Bearer test_globex").build()).body())
                .isEqualTo("{\"data\":[]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?idempotency_key=a&reference=b", "?idempotency_key=a&idempotency_key=b", "?idempotency_key=a&limit=1"})
    void a_key_is_asked_for_alone(String query) {
        assertThat(type(world.get("/v1/payments" + query))).isEqualTo("urn:chargeonce:problem:invalid-query");
    }

    @ParameterizedTest
    @CsvSource({"'', idempotency-key-invalid", "4111111111111111, card-number-not-allowed", "a%00b, idempotency-key-invalid"})
    void a_key_that_no_payment_can_have_is_refused_as_in_a_request(String key, String type) {
        HttpResponse<String> answer = world.get("/v1/payments?idempotency_key=" + key);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:" + type);
        assertThat(answer.body()).doesNotContain("4111");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?reference=", "?reference=a&reference=b", "?reference=a&limit=0", "?reference=a&limit=101",
        "?reference=a&limit=x", "?reference=a&cursor=!", "?reference=a&cursor=Zm9v", "?reference=a%00b"})
    void a_query_that_makes_no_sense_is_refused(String query) {
        HttpResponse<String> answer = world.get("/v1/payments" + query);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:invalid-query");
    }
}
