// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclinesTest {

    @ParameterizedTest
    @CsvSource({
        "insufficient_funds,                 ,   , SOFT",
        "do_not_honor,                       ,   , SOFT_ONCE",
        "lost_card,                          ,   , HARD",
        "authentication_required,            ,   , ACTION_REQUIRED",
        "duplicate_transaction,              ,   , ASK_FIRST",
        "never_heard_of,                     ,   , SOFT_ONCE",
        "insufficient_funds, do_not_try_again,   , HARD",
        "lost_card,          try_again_later ,   , SOFT",
        "generic_decline,                    , 51, SOFT",
        "insufficient_funds,                 , 43, HARD",
        "insufficient_funds, try_again_later , 43, SOFT",
        "insufficient_funds, never_heard_of  , 43, HARD",
    })
    void advice_outranks_the_networks_code_and_that_the_declines_own(String code, String advice, String network, DeclineKind kind) {
        var with = new DeclineAdvice(Optional.ofNullable(advice), Optional.ofNullable(network));
        assertThat(new Outcome.Declined(code, "no", Optional.empty(), with).kind()).isEqualTo(kind);
        assertThat(Declines.known(code, with).isEmpty()).isEqualTo(code.equals("never_heard_of"));
    }
}
