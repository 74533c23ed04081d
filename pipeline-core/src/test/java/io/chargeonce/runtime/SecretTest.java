// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {

    @TempDir
    Path directory;

    @Test
    void a_new_text_in_its_file_is_used_without_a_restart() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "old\n");
        Secret secret = Secret.in(file, Secret.Form.TEXT, Duration.ZERO);
        assertThat(secret.value()).isEqualTo("old");

        Files.writeString(file, "new\n");
        assertThat(secret.value()).isEqualTo("new");
    }

    @Test
    void for_a_login_the_file_is_read_at_that_moment() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "old\n");
        Secret secret = Secret.in(file, Secret.Form.TEXT, Duration.ofHours(1));

        Files.writeString(file, "new\n");
        assertThat(secret.value()).isEqualTo("old");
        assertThat(secret.now()).isEqualTo("new");
        assertThat(secret.value()).isEqualTo("new");
        Files.delete(file);
        assertThat(secret.now()).isEqualTo("new");
    }

    @Test
    void while_its_file_is_away_or_empty_the_last_text_stays_in_use() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "old");
        Secret secret = Secret.in(file, Secret.Form.TEXT, Duration.ZERO);

        Files.writeString(file, " \n");
        assertThat(secret.value()).isEqualTo("old");
        Files.delete(file);
        assertThat(secret.value()).isEqualTo("old");
        Files.writeString(file, "new");
        assertThat(secret.value()).isEqualTo("new");
    }

    /** A header with it would be refused, and the exception's message would write the whole key to the log. */
    @Test
    void a_text_that_fits_no_header_is_refused_as_a_key_at_the_start_and_later() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "sk_live_1\n");
        Secret key = Secret.in(file, Secret.Form.TOKEN, Duration.ZERO);
        for (String odd : new String[] {"sk_live_1\nsk_live_2", "sk_live_\u00e4", "sk live", "sk_live_\u0000"}) {
            Files.writeString(file, odd);
            assertThat(key.value()).isEqualTo("sk_live_1");
            assertThatThrownBy(() -> Secret.in(file, Secret.Form.TOKEN)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("sk");
        }
        // A byte order mark is no part of the text.
        Files.writeString(file, "\ufeffsk_live_2\n");
        assertThat(key.value()).isEqualTo("sk_live_2");
    }

    @Test
    void an_empty_file_holds_no_secret() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "\n");
        assertThatThrownBy(() -> Secret.in(file, Secret.Form.TEXT)).isInstanceOf(IllegalArgumentException.class);
    }
}
