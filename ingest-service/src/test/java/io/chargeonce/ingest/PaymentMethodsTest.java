// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.fieldsInError;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaymentMethodsTest {

    static final String BODY = """
            {"customer": "jane", "tokens": {"stripe": {"customer": "cus_s1", "payment_method": "pm_s2"},
             "adyen": {"shopper_reference": "shopper-a1", "stored_payment_method_id": "stored-a2"}}}""";
    private static final List<String> TOKENS = List.of("cus_s1", "pm_s2", "shopper-a1", "stored-a2");
    private static final String ALL = "/v1/payment_methods";

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

    @AfterEach
    void forgetRoutes() {
        world.execute("DELETE FROM psp_health");
    }

    private static HttpResponse<String> store(String key, String body) {
        return world.send(world.request(ALL).header("Content-Type", "application/json").header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body)).build());
    }

    private static String stored(String key) {
        HttpResponse<String> answer = store(key, BODY);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return Json.text(answer.body(), "id");
    }

    private static HttpResponse<String> detach(String id) {
        return world.send(world.request(ALL + "/" + id).DELETE().build());
    }

    private HttpResponse<String> pay(String method, String customer) {
        return world.pay("pay-" + UUID.randomUUID(), """
                {"amount": 1299, "currency": "EUR", "payment_method": "%s"%s}""".formatted(method,
                customer.isEmpty() ? "" : ", \"customer\": \"" + customer + "\""));
    }

    private static void routes(String text) {
        world.execute("""
                INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, routes, told_at)
                VALUES ('stripe', gen_random_uuid(), now(), false, 0, '', '%s', now())
                """.formatted(text));
    }

    @Test
    void a_method_is_stored_with_its_psps_and_no_answer_shows_a_token() {
        HttpResponse<String> answer = store(key, BODY);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        String id = Json.text(answer.body(), "id");
        assertThat(id).matches("pmt_[a-z2-7]{26}");
        assertThat(answer.headers().firstValue("Location")).hasValue(ALL + "/" + id);
        HttpResponse<String> found = world.get(ALL + "/" + id);
        assertThat(found.body()).isEqualTo(answer.body()).contains("\"psps\":[\"adyen\",\"stripe\"]").doesNotContain(TOKENS);
    }

    @Test
    void a_repeat_under_the_key_is_the_same_method_and_another_request_under_it_is_refused() {
        HttpResponse<String> first = store(key, BODY);
        HttpResponse<String> again = store(key, BODY.replace(": ", ":"));
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        HttpResponse<String> other = store(key, BODY.replace("pm_s2", "pm_s3"));
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(type(other)).endsWith("idempotency-key-reused");
        assertThat(other.body()).doesNotContain("pm_s3").doesNotContain(TOKENS);
    }

    @Test
    void a_hundred_simultaneous_requests_under_one_key_store_one_method() {
        var answers = IntStream.range(0, 100).mapToObj(i -> CompletableFuture.supplyAsync(() -> store(key, BODY).body())).toList()
                .stream().map(CompletableFuture::join).distinct().toList();
        assertThat(answers).hasSize(1);
        String id = Json.text(answers.getFirst(), "id");
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE resource_id = '%s'".formatted(id))).isEqualTo(1);
    }

    @Test
    void a_customers_methods_are_listed_newest_first_without_detached_ones_and_to_no_other_merchant() {
        String customer = "customer-" + UUID.randomUUID();
        String body = BODY.replace("jane", customer);
        List<String> ids = IntStream.range(0, 3).mapToObj(i -> Json.text(store(key + i, body).body(), "id")).toList();
        detach(ids.get(1));
        String query = ALL + "?customer=" + customer;
        assertThat(Json.texts(world.get(query).body(), "data", "id")).containsExactly(ids.get(2), ids.get(0));
        var strangers = world.request(query).setHeader("Authorization", "Bearer test_globex").build();
        assertThat(world.send(strangers).body()).isEqualTo("{\"data\":[]}");
    }

    @Test
    void another_merchants_method_can_neither_be_seen_nor_detached_nor_paid_with() {
        String id = stored(key);
        var strange = world.request(ALL + "/" + id).setHeader("Authorization", "Bearer test_globex");
        assertThat(world.send(strange.build()).statusCode()).isEqualTo(404);
        assertThat(world.send(strange.DELETE().build()).statusCode()).isEqualTo(404);
        assertThat(Json.text(world.get(ALL + "/" + id).body(), "detached_at")).isEmpty();
        HttpResponse<String> paid = world.send(world.payment(key, """
                {"amount": 1299, "currency": "EUR", "payment_method": "%s"}""".formatted(id))
                .setHeader("Authorization", "Bearer test_globex").build());
        assertThat(type(paid)).endsWith("payment-method-not-known");
    }

    @Test
    void a_detached_method_has_no_tokens_and_pays_nothing_more_and_a_repeat_of_a_payment_still_gets_its_answer() {
        String id = stored(key);
        String body = "{\"amount\": 1299, \"currency\": \"EUR\", \"payment_method\": \"%s\"}".formatted(id);
        HttpResponse<String> paid = world.pay(key, body);
        assertThat(paid.statusCode()).as(paid.body()).isEqualTo(202);
        HttpResponse<String> detached = detach(id);
        assertThat(detached.statusCode()).isEqualTo(200);
        assertThat(detach(id).body()).isEqualTo(detached.body()).contains("detached_at");
        assertThat(world.count("SELECT count(*) FROM payment_method_token WHERE payment_method_id = '%s'".formatted(id))).isZero();
        assertThat(type(pay(id, ""))).endsWith("payment-method-not-known");
        assertThat(world.pay(key, body).body()).isEqualTo(paid.body());
        assertThat(store(key, BODY).body()).as("the key stays taken").isEqualTo(detached.body());
    }

    @Test
    void a_payment_by_it_names_the_same_customer_or_none() {
        String id = stored(key);
        assertThat(pay(id, "").statusCode()).isEqualTo(202);
        assertThat(pay(id, "jane").statusCode()).isEqualTo(202);
        assertThat(type(pay(id, "joe"))).endsWith("payment-method-not-known");
    }

    @Test
    void a_payment_is_refused_when_no_psp_of_its_routes_has_a_token() {
        String id = stored(key);
        routes("-> stripe-uk");
        HttpResponse<String> refused = pay(id, "");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(type(refused)).endsWith("payment-method-not-taken");
        routes("-> stripe-uk,adyen");
        assertThat(pay(id, "").statusCode()).isEqualTo(202);
    }

    @Test
    void an_amount_that_only_psps_without_a_token_can_say_is_refused() {
        String id = Json.text(store(key, """
                {"customer": "jane", "tokens": {"adyen": {"shopper_reference": "jane", "stored_payment_method_id": "s"}}}""").body(),
                "id");
        routes("-> stripe,adyen");
        HttpResponse<String> refused = world.pay(key, """
                {"amount": 1299, "currency": "BIF", "payment_method": "%s"}""".formatted(id));
        assertThat(type(refused)).endsWith("amount-not-representable");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
        "{} | customer,tokens",
        "{\"customer\": \"jane\", \"tokens\": {}} | tokens",
        "{\"customer\": \"jane\", \"tokens\": {\"paypal\": {}}} | tokens",
        "{\"customer\": \"jane\", \"tokens\": {\"stripe\": {\"payment_method\": \"pm_1\"}}} | tokens.stripe.customer",
        "{\"customer\": \"jane\", \"tokens\": {\"stripe-uk\": \"pm_1\"}} | tokens.stripe-uk",
        "{\"customer\":\"jo\",\"tokens\":{\"adyen\":{\"shopper_reference\": \"7\", \"stored_payment_method_id\": \"s\"}}} | tokens.adyen",
        "{\"customer\": \"jane\", \"tokens\": {\"stripe\": {\"customer\": \"c\", \"payment_method\": \"p\", \"x\": 1}}} | tokens.stripe.x"})
    void what_is_wrong_is_named_field_by_field_and_nothing_is_stored(String body, String fields) {
        HttpResponse<String> refused = store(key, body);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(fieldsInError(refused)).containsExactlyInAnyOrder(fields.split(","));
        assertThat(store(key, BODY).headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void a_card_number_is_no_token() {
        assertThat(type(store(key, BODY.replace("pm_s2", "4242424242424242")))).endsWith("card-number-not-allowed");
    }

    @Test
    void tokens_stand_in_their_own_table_alone_which_the_service_cannot_read() throws Exception {
        String id = stored(key);
        pay(id, "jane");
        for (String token : TOKENS) {
            assertThat(world.tablesWith(token)).as(token).containsExactly("payment_method_token");
        }
        try (var connection = world.connectAsIngest(); var statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT FROM payment_method_token")).hasMessageContaining("permission denied");
        }
    }
}
