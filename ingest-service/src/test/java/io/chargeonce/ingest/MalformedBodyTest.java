// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A body that is no JSON object is refused in this service's own words: what is wrong, where, and what to send. */
class MalformedBodyTest {

    private static IngestWorld world;

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static String refusal(byte[] body) {
        HttpResponse<String> answer = world.send(world.payment("key-1", "").POST(BodyPublishers.ofByteArray(body)).build());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:malformed-json");
        return Json.text(answer.body(), "detail");
    }

    private static Arguments of(String body, String says) {
        return Arguments.of(body, says);
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                of("", "The body is empty. Send a JSON object with at least amount, currency and payment_method"),
                of(" \n ", "The body is empty"),
                of("[]", "The body is an array"), of("null", "The body is null"), of("7", "The body is a number"),
                of("\"{}\"", "The body is a string"), of("true", "The body is true or false"),
                of("{", "Line 1, column 2 (byte 1): it ends before its last brace"),
                of("{\"amount\": 1", "Line 1, column 13 (byte 12): it ends before its last brace"),
                of("{\"a\": \"x", "Line 1, column 9 (byte 8): it ends before its last"),
                of("{} {}", "Line 1, column 4 (byte 3): something follows the object"),
                of("{}x", "Line 1, column 3 (byte 2): something follows the object"),
                of("{\n  'amount': 1}", "Line 2, column 3 (byte 4): names and texts stand in double quotes"),
                of("{\"a\": 1,}", "Line 1, column 9 (byte 8): nothing follows the comma before it"),
                of("{\"a\": nonsense}", "Line 1, column 7 (byte 6): "),
                of("{\"amount\": 01}", "Line 1, column 13 (byte 12): "),
                of("{\"amount\": NaN}", "Line 1, column 12 (byte 11): "),
                of("{\"a\": 1, // two\n \"b\": 2}", "Line 1, column 10 (byte 9): "),
                of("{\"\u00e9\u00e9\": 1, \"b\": x}", "Line 1, column 16 (byte 17): "),
                of("{\"a\": \"\u0001\"}", "Line 1, column 8 (byte 7): a control character"),
                of("{\"amount\": 1,\n \"amount\": 2}", "Line 2, column 2 (byte 15): a field has the same name as one before it"),
                of("{\"a\": " + "[".repeat(16) + "]".repeat(16) + "}", "Line 1, column 22 (byte 21): more than 16 levels"),
                of("{\"amount\": " + "1".repeat(33) + "}", "Line 1, column 12 (byte 11): a number has more than 32 digits"),
                of("{\"" + "n".repeat(257) + "\": 1}", "Line 1, column 2 (byte 1): a name has more than 256 characters"),
                of("{\"a\": [" + IntStream.range(0, 10_001).mapToObj(i -> "1").reduce((a, b) -> a + "," + b).orElseThrow() + "]}",
                        "more than 10,000 parts"));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void what_is_wrong_with_it_and_where_is_said_in_words(String body, String says) {
        assertThat(refusal(body.getBytes(StandardCharsets.UTF_8))).contains(says)
                .doesNotContain("nonsense", "Exception", "code ", "source:")
                .contains("Send ");
    }

    @Test
    void bytes_that_are_no_utf_8_are_found() {
        assertThat(refusal("{\"a\": \"caf\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1)))
                .contains("Line 1, column 11 (byte 10): the bytes are not UTF-8");
    }
}
