// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OneSendTest {

    @ParameterizedTest
    @EnumSource
    void an_answer_describes_one_send(FailureCause cause) {
        var answer = new Outcome.Failed(cause, "as the PSP said");
        assertThat(OneSend.judge(answer, 0)).isEqualTo(answer);
        Outcome repeated = OneSend.judge(answer, 1);
        switch (cause.failureClass()) {
            case NOT_SENT, RATE_LIMITED, CONFIG, REFUSED_HERE, POISON -> assertThat(repeated).isInstanceOfSatisfying(Outcome.Unknown.class,
                    unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.ANOTHER_SEND));
            case RETRYABLE, FOUND_BY_HAND -> assertThat(repeated).isEqualTo(answer);
        }
    }
}
