// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PaymentRecordTest {

    private static PaymentRecord record(long amount, Optional<String> customer) {
        return PaymentRecord.of("pay_1", 1, "acme", "k", new PaymentRequest(new Money(amount, "EUR"), "pm_card_visa", customer,
                Optional.of("order-1"), Optional.empty(), Optional.empty()));
    }

    /** Otherwise it would be poison, and its bytes would be stored once more. */
    @Test
    void a_record_from_before_its_payments_erasure_says_the_same() {
        PaymentRecord old = record(1299, Optional.of("Jane"));
        PaymentRecord erased = record(1299, Optional.of(PaymentRequest.ERASED));
        assertThat(old.saysTheSameAs(erased)).isTrue();
        assertThat(erased.saysTheSameAs(old)).isTrue();
        assertThat(old.saysTheSameAs(record(1300, Optional.of(PaymentRequest.ERASED)))).isFalse();
        assertThat(old.saysTheSameAs(record(1299, Optional.of("Joe")))).isFalse();
        assertThat(old.saysTheSameAs(record(1299, Optional.empty()))).isFalse();
    }
}
