// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private static final String QUOTED = "No such card: 4242 4242 4242 4242";
    private static final Optional<String> REFERENCE = Optional.of("8816178952380553");

    @Test
    void a_card_number_that_a_psp_quotes_is_in_no_text_of_its_answer() {
        assertThat(new Outcome.Declined("4242424242424242", QUOTED, REFERENCE))
                .isEqualTo(new Outcome.Declined("#", "No such card: #", REFERENCE));
        assertThat(new Outcome.Failed(FailureCause.REQUEST_REFUSED, QUOTED).detail()).isEqualTo("No such card: #");
        assertThat(new Outcome.Unknown(UnknownCause.PSP_ERROR, QUOTED, REFERENCE).detail()).isEqualTo("No such card: #");
    }

    @Test
    void a_reference_of_the_psp_is_never_masked() {
        assertThat(new Outcome.Charged("4242424242424242").pspReference()).isEqualTo("4242424242424242");
        assertThat(new Outcome.Unknown(UnknownCause.PSP_ERROR, "", Optional.of("4242424242424242")).pspReference())
                .contains("4242424242424242");
    }
}
