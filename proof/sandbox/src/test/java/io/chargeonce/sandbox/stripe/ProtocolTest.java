// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import com.stripe.Stripe;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.param.PaymentIntentListParams;
import com.stripe.param.PaymentIntentSearchParams;
import io.chargeonce.sandbox.psp.SandboxJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtocolTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final StripeSimulator simulator =
            StripeSimulator.start(StripeSimulatorSettings.inMemory().clock(now::get).searchLag(Duration.ofSeconds(60)));
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "POST | /v1/payment_intents | currency=eur                          | 400 | parameter_missing         | amount",
        "POST | /v1/payment_intents | amount=100                            | 400 | parameter_missing         | currency",
        "POST | /v1/payment_intents | amount=1.5&currency=eur               | 400 | parameter_invalid_integer | amount",
        "POST | /v1/payment_intents | amount=0&currency=eur                 | 400 | parameter_invalid_integer | amount",
        "POST | /v1/payment_intents | amount=100&currency=eur&amuont=1      | 400 | parameter_unknown         | amuont",
        "POST | /v1/payment_intents | amount=49&currency=eur                | 400 | amount_too_small          | amount",
        "POST | /v1/payment_intents | amount=50050&currency=isk             | 400 | parameter_invalid_integer | amount",
        "POST | /v1/payment_intents | amount=1234&currency=kwd              | 400 | parameter_invalid_integer | amount",
        "POST | /v1/payment_intents | amount=100&currency=xyz               | 400 |                           | currency",
        "POST | /v1/payment_intents | amount=100&currency=eur&customer=me   | 400 | resource_missing          | customer",
        "POST | /v1/payment_intents/pi_none/confirm | ''                    | 404 | resource_missing          | intent",
        "POST | /v1/refunds         | amount=1                              | 400 | parameter_missing         | payment_intent",
        "POST | /v1/nowhere         | ''                                    | 404 |                           | ",
        "DELETE | /v1/payment_intents/pi_none | ''                          | 404 |                           | ",
    })
    void a_wrong_request_is_refused_in_stripes_words(String method, String path, String body, int status, String code, String param)
            throws Exception {
        HttpResponse<String> answer = Raw.send(simulator, method, path, body);
        assertThat(answer.statusCode()).isEqualTo(status);
        var error = SandboxJson.tree(answer.body().getBytes()).path("error");
        assertThat(error.path("type").asString()).isEqualTo("invalid_request_error");
        assertThat(error.path("code").asString("")).isEqualTo(code == null ? "" : code);
        assertThat(error.path("param").asString("")).isEqualTo(param == null ? "" : param);
        assertThat(answer.headers().firstValue("Request-Id")).get().asString().startsWith("req_");
        assertThat(answer.headers().firstValue("Stripe-Should-Retry")).contains("false");
    }

    @Test
    void a_request_without_a_test_key_is_unauthorized() throws Exception {
        assertThat(get("").statusCode()).isEqualTo(401);
        assertThat(get("Bearer sk_live_1234567890abcdef").statusCode()).isEqualTo(401);
        assertThat(get("Basic !!!").statusCode()).isEqualTo(401);
        assertThat(SandboxJson.tree(get("Bearer nonsense").body().getBytes()).path("error").path("type").asString())
                .isEqualTo("invalid_request_error");
        assertThat(get("Basic " + Base64.getEncoder().encodeToString("sk_test_x:".getBytes())).statusCode()).isEqualTo(200);
    }

    @Test
    void a_rolled_key_is_unauthorized_and_one_of_another_account_finds_nothing() throws Exception {
        try (var account = StripeSimulator.start(StripeSimulatorSettings.inMemory().account("sk_test_ours"))) {
            assertThat(status(account, "GET", "/v1/refunds", "sk_test_ours")).isEqualTo(200);
            assertThat(status(account, "GET", "/v1/refunds", "sk_test_rolled")).isEqualTo(401);
            assertThat(status(account, "POST", "/v1/payment_intents/pi_1/confirm", "sk_test_stranger")).isEqualTo(404);
        }
    }

    private static int status(StripeSimulator account, String method, String path, String key) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(account.apiBase() + path))
                .header("Authorization", "Bearer " + key).method(method, HttpRequest.BodyPublishers.noBody()).build(),
                HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    @Test
    void answers_name_the_request_and_the_version() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        assertThat(intent.getLastResponse().requestId()).startsWith("req_");
        assertThat(intent.getLastResponse().idempotencyKey()).isEqualTo("k1");
        assertThat(intent.getLastResponse().headers().firstValue("Stripe-Version")).contains(Stripe.API_VERSION);
    }

    @Test
    void lists_are_paged_newest_first() throws StripeException {
        for (int i = 1; i <= 5; i++) {
            customer.create(100 + i, "pm_card_visa", "k" + i);
        }
        var page = customer.stripe.v1().paymentIntents().list(PaymentIntentListParams.builder().setLimit(3L).build());
        assertThat(page.getData()).extracting(PaymentIntent::getAmount).containsExactly(105L, 104L, 103L);
        assertThat(page.getHasMore()).isTrue();
        var rest = customer.stripe.v1().paymentIntents().list(PaymentIntentListParams.builder().setLimit(3L)
                .setStartingAfter(page.getData().getLast().getId()).build());
        assertThat(rest.getData()).extracting(PaymentIntent::getAmount).containsExactly(102L, 101L);
        assertThat(rest.getHasMore()).isFalse();
    }

    @Test
    void a_list_can_be_of_one_customer() throws StripeException {
        customer.create(100, "pm_card_visa", "k1");
        customer.stripe.v1().paymentIntents().create(Customer.payment(200, "pm_card_visa").setCustomer("cus_7").build());
        assertThat(customer.stripe.v1().paymentIntents().list(PaymentIntentListParams.builder().setCustomer("cus_7").build())
                .getData()).extracting(PaymentIntent::getAmount).containsExactly(200L);
    }

    @Test
    void search_finds_by_metadata_but_only_when_the_index_has_caught_up() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        assertThat(search("metadata['payment_id']:'pay_1'")).isEmpty();
        now.updateAndGet(time -> time.plusSeconds(60));
        assertThat(search("metadata['payment_id']:'pay_1'")).extracting(PaymentIntent::getId).containsExactly(intent.getId());
        assertThat(search("metadata['payment_id']:'pay_1' AND status:'succeeded'")).isEmpty();
        assertThat(search("metadata['payment_id']:'pay_2'")).isEmpty();
    }

    private List<PaymentIntent> search(String query) throws StripeException {
        return customer.stripe.v1().paymentIntents().search(PaymentIntentSearchParams.builder().setQuery(query).build()).getData();
    }

    private HttpResponse<String> get(String authorization) throws IOException, InterruptedException {
        return Raw.send(simulator, "GET", "/v1/payment_intents", "", authorization);
    }
}
