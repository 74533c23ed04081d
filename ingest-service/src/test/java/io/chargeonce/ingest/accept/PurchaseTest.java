// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PurchaseTest {

    private static ByteBuffer purchase(long amount, String currency, String method, String customer, String reference) {
        return ByteBuffer.wrap(Purchase.of(new PaymentRequest(new Money(amount, currency), method, Optional.ofNullable(customer),
                Optional.ofNullable(reference), Optional.empty(), Optional.empty())).orElseThrow());
    }

    @Test
    void every_one_of_its_parts_makes_another_purchase() {
        assertThat(Stream.of(purchase(1, "EUR", "pm", "c", "r"), purchase(2, "EUR", "pm", "c", "r"),
                purchase(1, "USD", "pm", "c", "r"), purchase(1, "EUR", "px", "c", "r"), purchase(1, "EUR", "pm", "d", "r"),
                purchase(1, "EUR", "pm", "c", "s"), purchase(1, "EUR", "pm", null, "r"), purchase(1, "EUR", "pm", "c", null),
                purchase(1, "EUR", "pm", "-", "r"))).doesNotHaveDuplicates();
    }

    @Test
    void what_it_is_called_and_where_the_receipt_goes_do_not() {
        var money = new Money(1, "EUR");
        var plain = new PaymentRequest(money, "pm", Optional.of("c"), Optional.empty(), Optional.empty(), Optional.empty());
        var named = new PaymentRequest(money, "pm", Optional.of("c"), Optional.empty(), Optional.of("mugs"), Optional.of("a@example.com"));

        assertThat(Purchase.of(named).orElseThrow()).isEqualTo(Purchase.of(plain).orElseThrow());
    }

    @Test
    void a_request_that_names_neither_customer_nor_reference_is_no_purchase() {
        assertThat(Purchase.of(new PaymentRequest(new Money(1, "EUR"), "pm", Optional.empty(), Optional.empty(), Optional.of("d"),
                Optional.empty()))).isEmpty();
    }
}
