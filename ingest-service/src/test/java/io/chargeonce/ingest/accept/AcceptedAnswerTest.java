// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AcceptedAnswerTest {

    /** A repeat gets it byte for byte, from any release: to change it, give it a new version, and keep this one. */
    @Test
    void the_bytes_of_an_answer_never_change_within_a_version() {
        var id = PaymentId.derive("acme", new IdempotencyKey("order-1"));
        var request = new PaymentRequest(new Money(1299, "EUR"), "pm_card_visa", Optional.of("cus_1"), Optional.of("order-1"),
                Optional.of("two \"books\""), Optional.empty());
        AcceptedAnswer answer = AcceptedAnswer.of(id, request);
        assertThat(RequestFingerprint.VERSION).isEqualTo(1);
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.headers()).isEqualTo(Map.of("Content-Type", "application/json", "Location", "/v1/payments/" + id));
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"id\":\"" + id + "\",\"status\":\"accepted\",\"amount\":1299,"
                        + "\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\",\"customer\":\"cus_1\",\"reference\":\"order-1\","
                        + "\"description\":\"two \\\"books\\\"\",\"rail\":\"card\"}");
    }
}
