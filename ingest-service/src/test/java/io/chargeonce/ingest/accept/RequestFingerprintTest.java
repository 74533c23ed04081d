// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RequestFingerprintTest {

    private static PaymentRequest request(long amount, Optional<String> reference) {
        return new PaymentRequest(new Money(amount, "EUR"), "pm_card_visa", Optional.of("cus_7"), reference, Optional.empty(),
                Optional.empty());
    }

    /** Stored rows hold both for as long as their payments live: a change here needs a new fingerprint version. */
    @Test
    void the_spelling_and_the_fingerprint_of_a_command_never_change() {
        RequestFingerprint command = RequestFingerprint.of(request(1299, Optional.of("order-1001")));

        assertThat(command.canonical()).isEqualTo("{\"amount\":1299,\"currency\":\"EUR\",\"customer\":\"cus_7\","
                + "\"payment_method\":\"pm_card_visa\",\"reference\":\"order-1001\"}");
        assertThat(HexFormat.of().formatHex(command.fingerprint()))
                .isEqualTo("de4f7727634f5ca492580b36c580811c1183f2628cf5421efbdfa4b5f05c0019");
    }

    @Test
    void a_command_stored_by_another_release_is_compared_itself_and_not_by_its_fingerprint() {
        RequestFingerprint command = RequestFingerprint.of(request(1299, Optional.of("order-1001")));
        String spelledOtherwise = "{\"reference\":\"order-1001\",\"currency\":\"EUR\",\"amount\":1299,\"payment_method\":\"pm_card_visa\","
                + "\"customer\":\"cus_7\"}";
        byte[] unknown = new byte[32];

        assertThat(command.isTheSameAs(new RequestFingerprint.Stored(2, Contract.PAYMENTS, spelledOtherwise, unknown))).isTrue();
        assertThat(
                command.isTheSameAs(new RequestFingerprint.Stored(2, Contract.PAYMENTS, spelledOtherwise.replace("1299", "1300"), unknown)))
                .isFalse();
        assertThat(command.isTheSameAs(new RequestFingerprint.Stored(2, "/v1/other", spelledOtherwise, unknown))).isFalse();
        assertThat(command.isTheSameAs(new RequestFingerprint.Stored(1, Contract.PAYMENTS, spelledOtherwise, unknown))).isFalse();
        assertThat(command.isTheSameAs(new RequestFingerprint.Stored(1, Contract.PAYMENTS, "{}", command.fingerprint()))).isTrue();
    }

    @Test
    void commands_that_differ_name_the_fields_in_which_they_do() {
        RequestFingerprint command = RequestFingerprint.of(request(1299, Optional.of("order-1001")));

        assertThat(command.differencesFrom(command.canonical())).isEmpty();
        assertThat(command.differencesFrom(RequestFingerprint.of(request(1300, Optional.empty())).canonical()))
                .containsExactly("amount", "reference");
    }
}
