// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextFileTest {

    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("brought"), text);
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "\ufeff, ''", "\ufeffa, a", "a\ufeff, a\ufeff", "\ufeff\ufeffa, \ufeffa"})
    void one_mark_at_the_beginning_belongs_to_no_line(String text, String read) throws IOException {
        assertThat(TextFile.read(file(text))).isEqualTo(read);
    }

    @Test
    void the_first_name_of_a_properties_file_is_found_behind_a_mark() throws IOException {
        var properties = new Properties();
        try (var reader = TextFile.open(file("\ufeffname=bank\r\nother=x\r\n"))) {
            properties.load(reader);
        }
        assertThat(properties).containsEntry("name", "bank").hasSize(2);
    }

    @Test
    void another_encoding_is_refused_and_not_guessed() throws IOException {
        Path file = Files.write(directory.resolve("utf-16"), "name=bank".getBytes(StandardCharsets.UTF_16));
        assertThatThrownBy(() -> TextFile.read(file)).isInstanceOf(IOException.class);
    }
}
