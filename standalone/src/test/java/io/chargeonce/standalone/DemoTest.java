// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {

    @ParameterizedTest
    @ValueSource(longs = 1)
    void the_books_of_a_demo_balance(long seed) {
        var story = new StringWriter();
        try (var demo = new Demo(DemoPlan.of(60, seed), new PrintWriter(story), false)) {
            var verdict = demo.run();
            assertThat(verdict.balanced()).as(verdict.json() + "\n" + story).isTrue();
            assertThat(verdict.json()).contains("\"accepted\":60", "\"lost\":0", "\"double_charged\":0");
            assertThat(story.toString()).containsPattern("http://127.0.0.1:\\d+\\nand sign in with operator:test_operator");
            assertThat(story.toString()).containsPattern("To: jane@example.com\\R +Subject: Your (receipt|refund) from acme\\R")
                    .containsPattern("Amount (paid|refunded): ");
            assertThat(story.toString().lines()).hasSizeGreaterThan(30)
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        }
    }
}
