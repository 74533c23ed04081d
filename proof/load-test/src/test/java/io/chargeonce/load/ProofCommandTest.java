// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Build;
import org.junit.jupiter.api.Test;

class ProofCommandTest {

    @Test
    void only_a_build_of_a_commit_as_it_is_proves_anything() {
        assertThat(ProofCommand.refusal(new Build("1", "abc1234", false))).isEmpty();
        assertThat(ProofCommand.refusal(new Build("1", "abc1234", true))).hasValueSatisfying(
                why -> assertThat(why).contains("changes that commit abc1234 has not", "'touch pom.xml'"));
        assertThat(ProofCommand.refusal(new Build("1", "unknown", false))).hasValueSatisfying(
                why -> assertThat(why).contains("build it in a Git checkout"));
    }
}
