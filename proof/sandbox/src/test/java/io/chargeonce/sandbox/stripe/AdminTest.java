// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.Movement;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminTest {
    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void the_ledger_is_read_in_pages_of_lines() throws Exception {
        for (int i = 1; i <= 3; i++) {
            customer.pay(100 * i, "p" + i);
        }
        String[] page = Raw.send(simulator, "GET", "/_sandbox/movements?after=1&limit=1", "").body().split("\n");
        assertThat(page).hasSize(1);
        assertThat(SandboxJson.Lines.<Movement>of(Movement.class).read(page[0])).isEqualTo(simulator.movements().get(1));
        assertThat(page[0]).startsWith("{\"kind\":\"capture\",\"id\":\"ch_").contains("\"payment\":\"pi_",
                "\"amount\":200,\"currency\":\"eur\",\"metadata\":{\"payment_id\":\"pay_1\"},\"at\":\"",
                "\"idempotency_key\":\"p2-confirm\",\"value\":\"2.00\"}");
        assertThat(Raw.send(simulator, "GET", "/_sandbox/movements?after=3", "").body()).isEmpty();
        assertThat(Raw.send(simulator, "GET", "/_sandbox/requests", "").body().lines()).hasSize(6);
    }

    @Test
    void counts_sum_the_money_by_currency() throws Exception {
        customer.pay(100, "p");
        var counts = SandboxJson.tree(Raw.send(simulator, "GET", "/_sandbox/counts", "").body().getBytes());
        assertThat(counts.path("captures").asInt()).isEqualTo(1);
        assertThat(counts.path("captured").path("eur").asLong()).isEqualTo(100);
        assertThat(counts.path("payments_by_status").path("succeeded").asInt()).isEqualTo(1);
    }

    @Test
    void a_rule_is_added_shown_met_and_removed() throws Exception {
        HttpResponse<String> added = rule("{\"fault\":\"429\",\"retry_after_s\":3,\"operation\":\"create\",\"times\":\"always\"}");
        assertThat(added.statusCode()).isEqualTo(201);
        assertThat(Raw.send(simulator, "GET", "/_sandbox/rules", "").body()).contains("\"429\"", "\"create\"", "\"always\"");
        assertThat(create().headers().firstValue("Retry-After")).contains("3");
        long id = SandboxJson.tree(added.body().getBytes()).path("id").asLong();
        assertThat(Raw.send(simulator, "DELETE", "/_sandbox/rules/" + id, "").statusCode()).isEqualTo(200);
        assertThat(Raw.send(simulator, "DELETE", "/_sandbox/rules/" + id, "").statusCode()).isEqualTo(404);
        assertThat(create().statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"500_before", "500_after", "answer_lost", "truncated", "reset", "429", "slow_before", "slow_after",
        "wrong_amount"})
    void every_fault_has_a_name(String fault) throws Exception {
        assertThat(rule("{\"fault\":\"" + fault + "\"}").statusCode()).isEqualTo(201);
        assertThat(Raw.send(simulator, "GET", "/_sandbox/rules", "").body()).contains("\"" + fault + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/_sandbox", "/_sandbox/"})
    void its_root_lists_every_path_operation_and_fault_in_words(String root) throws Exception {
        String page = Raw.send(simulator, "GET", root, "").body();
        assertThat(page).contains("/_sandbox/movements", "/_sandbox/disputes", "/_sandbox/outage", "create, search, list, confirm",
                "curl http://127.0.0.1:" + simulator.apiBase().getPort() + "/_sandbox/rules");
        List<String> faults =
                page.lines().dropWhile(line -> !line.equals("Faults:")).skip(2).map(line -> line.strip().split(" ")[0]).toList();
        assertThat(faults).hasSize(10).doesNotContain("transient_before");
        for (String fault : faults) {
            assertThat(rule("{\"fault\":\"" + fault + "\"}").statusCode()).as(fault).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{}", "[]", "{\"fault\":\"fire\"}", "{\"fault\":\"429\",\"operation\":\"pay\"}",
        "{\"fault\":\"429\",\"times\":0}", "{\"fault\":\"429\",\"time\":1}"})
    void a_wrong_rule_is_refused_in_one_line(String rule) throws Exception {
        HttpResponse<String> refused = rule(rule);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(SandboxJson.tree(refused.body().getBytes()).path("error").asString()).isNotBlank().doesNotContain("\n");
    }

    @Test
    void an_outage_is_switched_on_and_off() throws Exception {
        Raw.send(simulator, "POST", "/_sandbox/outage", "{\"for_ms\":600000}");
        assertThat(create().statusCode()).isEqualTo(503);
        Raw.send(simulator, "DELETE", "/_sandbox/outage", "");
        assertThat(create().statusCode()).isEqualTo(200);
    }

    @Test
    void a_captured_payment_is_disputed_and_no_other_one() throws Exception {
        String paid = customer.pay(200, "p").getId();
        assertThat(dispute(paid, "taken").statusCode()).isEqualTo(201);
        assertThat(Raw.send(simulator, "GET", "/_sandbox/disputes?after=0&limit=1", "").body()).startsWith("{\"id\":\"du_")
                .contains("\"payment\":\"" + paid, "\"payment_id\":\"pay_1\"", "\"value\":\"2.00\"", "\"funds\":\"taken\"");
        assertThat(Raw.send(simulator, "GET", "/_sandbox/disputes?after=1", "").body()).isEmpty();
        assertThat(dispute(paid, "forgotten").body()).contains("inquiry, opened, taken, returned, won, lost");
        assertThat(dispute(customer.create(100, "pm_card_visa", "c").getId(), "taken").statusCode()).isEqualTo(400);
        Raw.send(simulator, "POST", "/_sandbox/reset", "");
        assertThat(simulator.disputes()).isEmpty();
    }

    private HttpResponse<String> dispute(String payment, String step) throws Exception {
        return Raw.send(simulator, "POST", "/_sandbox/disputes", "{\"payment\":\"%s\",\"step\":\"%s\"}".formatted(payment, step));
    }

    @Test
    void a_reset_forgets_everything() throws Exception {
        customer.pay(100, "p");
        assertThat(Raw.send(simulator, "POST", "/_sandbox/reset", "").statusCode()).isEqualTo(200);
        assertThat(simulator.movements()).isEmpty();
        assertThat(customer.pay(200, "p").getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    private HttpResponse<String> create() throws Exception {
        return Raw.send(simulator, "POST", "/v1/payment_intents", "amount=100&currency=eur");
    }

    private HttpResponse<String> rule(String json) throws Exception {
        return Raw.send(simulator, "POST", "/_sandbox/rules", json);
    }
}
