// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.answer.Contract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinesTest {

    private static List<String> read(InputStream in) throws IOException {
        var lines = new Lines(in);
        var read = new ArrayList<String>();
        for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
            read.add(
                    line.get().number() + ":" + line.get().text().map(text -> new String(text, StandardCharsets.UTF_8)).orElse("too long"));
        }
        return read;
    }

    private static List<String> read(String text) throws IOException {
        return read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void blank_lines_are_counted_and_passed_over_and_the_last_line_needs_no_end() throws IOException {
        assertThat(read("a\n\n \t\r\nb\r\nc")).containsExactly("1:a", "4:b\r", "5:c");
        assertThat(read("")).isEmpty();
        assertThat(read("\n\n")).isEmpty();
    }

    @Test
    void a_line_that_is_too_long_does_not_take_the_next_one_with_it() throws IOException {
        String longest = "x".repeat(Contract.LARGEST_BODY);

        assertThat(read(longest + "\n" + longest + "x\n" + " ".repeat(Contract.LARGEST_BODY + 1) + "\nlast"))
                .containsExactly("1:" + longest, "2:too long", "3:too long", "4:last");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void however_the_bytes_arrive_the_lines_are_the_same(long seed) throws IOException {
        var random = new Random(seed);
        List<String> sent = IntStream.range(0, 500).mapToObj(i -> "y".repeat(1 + random.nextInt(300))).toList();
        byte[] bytes = String.join("\n", sent).getBytes(StandardCharsets.UTF_8);
        var trickle = new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] buffer, int offset, int length) {
                return super.read(buffer, offset, Math.min(length, 1 + random.nextInt(40)));
            }
        };

        assertThat(read(trickle)).isEqualTo(IntStream.range(0, 500).mapToObj(i -> (i + 1) + ":" + sent.get(i)).toList());
    }
}
