// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaymentStatusTest {

    @ParameterizedTest
    @CsvSource({"accepted,1,0,accepted", "accepted,2,3,processing", "accepted,2,0,processing", "accepted,1,1,processing",
        "processing,1,1,processing", "scheduled,1,1,processing", "parked,1,0,processing", "unresolved,1,1,processing",
        "succeeded,1,1,succeeded", "failed,1,1,failed", "declined,1,1,declined", "dead,1,3,needs_attention", "purged,1,3,purged",
        "canceled,1,1,canceled"})
    void every_state_has_a_word_for_clients(String state, int generation, int sequence, String word) {
        assertThat(PaymentStatus.of(OperationState.fromTag(state), generation, sequence).tag()).isEqualTo(word);
    }

    @ParameterizedTest
    @CsvSource({"accepted,canceling", "processing,canceling", "unresolved,canceling", "dead,canceling", "purged,canceling",
        "succeeded,succeeded", "declined,declined", "canceled,canceled"})
    void a_payment_is_canceling_from_its_cancel_until_it_has_ended(String state, String word) {
        assertThat(PaymentStatus.of(OperationState.fromTag(state), 1, 1).canceling().tag()).isEqualTo(word);
    }

    @ParameterizedTest
    @CsvSource({"succeeded,0,succeeded", "succeeded,1,partially_refunded", "succeeded,99,partially_refunded", "succeeded,100,refunded",
        "declined,0,declined"})
    void what_has_gone_back_changes_the_word(String state, long refunded, String word) {
        assertThat(PaymentStatus.of(OperationState.fromTag(state), 1, 1).after(refunded, 100).tag()).isEqualTo(word);
    }
}
