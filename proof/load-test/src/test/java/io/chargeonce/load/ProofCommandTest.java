// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Build;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProofCommandTest {

    @TempDir
    Path root;

    @Test
    void only_a_build_of_a_commit_as_it_is_proves_anything() throws IOException {
        assertThat(ProofCommand.refusal(new Build("1", "abc1234", false), root)).isEmpty();
        assertThat(ProofCommand.refusal(new Build("1", "abc1234", true), root)).hasValueSatisfying(
                why -> assertThat(why).contains("changes that commit abc1234 has not", "'touch pom.xml'"));
        assertThat(ProofCommand.refusal(new Build("1", "unknown", false), root)).hasValueSatisfying(
                why -> assertThat(why).contains("build it in a Git checkout"));
        Files.writeString(root.resolve(".git"), "gitdir: elsewhere");
        assertThat(ProofCommand.refusal(new Build("1", "abc1234", false), root)).hasValueSatisfying(
                why -> assertThat(why).contains("clone the repository"));
    }
}
