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
        Secret secret = Secret.in(file, Duration.ZERO);
        assertThat(secret.value()).isEqualTo("old");

        Files.writeString(file, "new\n");
        assertThat(secret.value()).isEqualTo("new");
    }

    @Test
    void while_its_file_is_away_or_empty_the_last_text_stays_in_use() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "old");
        Secret secret = Secret.in(file, Duration.ZERO);

        Files.writeString(file, " \n");
        assertThat(secret.value()).isEqualTo("old");
        Files.delete(file);
        assertThat(secret.value()).isEqualTo("old");
        Files.writeString(file, "new");
        assertThat(secret.value()).isEqualTo("new");
    }

    @Test
    void an_empty_file_holds_no_secret() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "\n");
        assertThatThrownBy(() -> Secret.in(file)).isInstanceOf(IllegalArgumentException.class);
    }
}
