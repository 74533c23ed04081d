// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.adyen.service.exception.ApiException;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsTest {
    private final AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory());
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void a_lost_and_a_truncated_answer_leave_a_capture_that_the_same_key_brings_back() throws Exception {
        simulator.inject(FaultRule.once(new Fault.AnswerLost()));
        assertThatThrownBy(() -> Raw.pay(simulator, Raw.PAYMENT, "k1")).isInstanceOf(IOException.class);
        simulator.inject(FaultRule.once(new Fault.Truncated()));
        assertThatThrownBy(() -> Raw.pay(simulator, Raw.PAYMENT, "k1")).isInstanceOf(IOException.class);
        assertThat(simulator.movements()).hasSize(1);
        assertThat(Raw.pay(simulator, Raw.PAYMENT, "k1").body()).contains(simulator.movements().getFirst().payment());
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_reset_connection_executed_nothing() {
        simulator.inject(FaultRule.once(new Fault.Reset()));
        assertThatThrownBy(() -> Raw.pay(simulator, Raw.PAYMENT, "k1")).isInstanceOf(IOException.class);
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_wrong_amount_is_only_stated_never_charged() throws Exception {
        simulator.inject(FaultRule.once(new Fault.WrongAmount(999)).on(AdyenOperation.PAYMENT).forMetadata("payment_id", "pay_1"));
        assertThat(shopper.pay(100, "k1").getAmount().getValue()).isEqualTo(999);
        assertThat(simulator.movements()).singleElement().satisfies(capture -> assertThat(capture.amount()).isEqualTo(100));
    }

    @Test
    void an_outage_executes_nothing_says_that_it_is_transient_and_ends() throws Exception {
        simulator.outage(Duration.ofHours(1));
        HttpResponse<String> refused = Raw.pay(simulator, Raw.PAYMENT, "k1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("transient-error")).contains("true");
        assertThat(catchThrowableOfType(ApiException.class, () -> shopper.pay(1, "k2")).getError().getErrorCode()).isEqualTo("703");
        simulator.endOutage();
        assertThat(shopper.pay(1, "k2").getPspReference()).isNotEmpty();
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void refused_connections_are_accepted_again_on_the_same_port() throws Exception {
        simulator.refuseConnections();
        assertThatThrownBy(() -> shopper.pay(1, "k1")).isInstanceOf(IOException.class);
        simulator.acceptConnections();
        assertThat(shopper.pay(1, "k1").getPspReference()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"500_before", "500_after", "transient_before", "transient_after", "answer_lost", "truncated", "reset",
        "429", "slow_before", "slow_after", "wrong_amount"})
    void every_fault_can_be_scripted_over_http(String fault) throws Exception {
        String rule = "{\"fault\":\"" + fault + "\",\"operation\":\"payment\"}";
        assertThat(Raw.send(simulator, "POST", "/_sandbox/rules", rule).statusCode()).isEqualTo(201);
        assertThat(Raw.send(simulator, "GET", "/_sandbox/rules", "").body()).contains("\"" + fault + "\"", "\"payment\"");
    }

    @Test
    void stripes_operations_are_unknown_here() throws Exception {
        HttpResponse<String> refused = Raw.send(simulator, "POST", "/_sandbox/rules", "{\"fault\":\"429\",\"operation\":\"confirm\"}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("confirm", "cancel_by_reference");
    }

    @Test
    void the_ledger_is_read_over_http() throws Exception {
        shopper.pay(1299, "k1");
        assertThat(Raw.send(simulator, "GET", "/_sandbox/movements", "").body()).contains("\"kind\":\"capture\"",
                "\"reference\":\"order-1\"", "\"amount\":1299", "\"currency\":\"eur\"", "\"metadata\":{\"payment_id\":\"pay_1\"}");
        assertThat(Raw.send(simulator, "GET", "/_sandbox/counts", "").body()).contains("\"captures\":1", "\"Authorised\":1");
        Raw.send(simulator, "POST", "/_sandbox/reset", "");
        assertThat(simulator.movements()).isEmpty();
    }
}
