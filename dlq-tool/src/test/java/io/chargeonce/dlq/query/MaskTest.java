// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskTest {

    @Test
    void what_identifies_a_card_or_a_person_is_hidden_and_nothing_else() {
        assertThat(Mask.personal("pm_card_visa, tok_1Nx, card_1NXWPn; card_declined by a.b+c@mail.example.com at 4242 4242 4242 4242"))
                .isEqualTo("************, *******, ***********; card_declined by ********************** at *******************");
        assertThat(Mask.personal("%22x.y@example.com%22 and me@localhost, order-1001 at 12:11:02")).isEqualTo(
                "******************%22 and me@localhost, order-1001 at 12:11:02");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4111111111111111", "4111\u00a01111\u00a01111\u00a01111", "4111.1111.1111.1111", "4111/1111/1111/1111",
        "4111\u20131111\u20131111\u20131111", "4111\u200b1111\u200b1111\u200b1111", "41 11 11 11 11 11 11 11", "41111111111111111230123",
        "\uff14\uff11\uff11\uff11111111111111", "\u0664\u0661\u0661\u0661111111111111", "\\u0034111111111111111"})
    void what_ingest_takes_for_a_card_number_is_hidden_in_text_and_in_bytes(String number) {
        String poison = "{\"pan\": \"" + number + "\", \"to\": \"J\u00fcrgen\"}";
        String expected = "{\"pan\": \"" + "*".repeat(number.length()) + "\", \"to\": \"J\u00fcrgen\"}";
        assertThat(Mask.personal(poison)).isEqualTo(expected);
        byte[] bytes = poison.getBytes(StandardCharsets.UTF_8);
        byte[] masked = Mask.personal(bytes);
        assertThat(masked).hasSameSizeAs(bytes);
        assertThat(new String(masked, StandardCharsets.UTF_8).replaceAll("\\*+", "*")).isEqualTo(expected.replaceAll("\\*+", "*"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"cvc\":\"123\",\"n\":7}                         | {\"cvc\":\"***\",\"n\":7}",
        "{\"cardCvv2\" : 1234}                             | {\"cardCvv2\" : ****}",
        "{\"security_code\":\"12\\\"3\",\"n\":7}            | {\"security_code\":\"*****\",\"n\":7}",
        "{\"cardholder\":\"Jane Doe\",\"n\":7}             | {\"cardholder\":\"********\",\"n\":7}",
        "{\"holder_name\":\"Jane                          | {\"holder_name\":\"****",
        "{\"cardHolder\":{\"first\":\"Jane\"},\"n\":7}       | {\"cardHolder\":****************,\"n\":7}",
        "{\"card\":{\"name\":\"Jane Doe\"},\"filename\":\"x\"} | {\"card\":{\"name\":\"********\"},\"filename\":\"x\"}",
        "\"{\\\"cvn\\\":\\\"123\\\",\\\"n\\\":7}\"              | \"{\\\"cvn\\\":\\\"***\\\",\\\"n\\\":7}\"",
        "amount=1299&cvc=123&n=7                         | amount=1299&cvc=***&n=7",
        "<cvv>1234</cvv><n>7</n>                         | <cvv>****</cvv><n>7</n>",
        "amount=1299&cvc=\uff11\uff12\uff13&n=7             | amount=1299&cvc=***&n=7",
        "amount=1299&card_holder=Jane+Doe&n=7            | amount=1299&card_holder=********&n=7",
        "<cardHolder>Jane Doe</cardHolder><n>7</n>       | <cardHolder>********</cardHolder><n>7</n>",
        "4111111111111111, Jane, 12/30, 123, order-1001  | ****************, Jane, **/**, ***, order-****",
        "%B4111111111111111^DOE/JANE^301210100000^       | %B****************^********^************^",
        "{\"amount\":1299,\"exp_year\":2030}                | {\"amount\":1299,\"exp_year\":2030}"})
    void what_comes_with_a_card_number_is_hidden_too(String poison, String expected) {
        assertThat(Mask.personal(poison)).isEqualTo(expected);
    }

    @Test
    void bytes_that_are_no_text_stay_as_they_are_but_for_what_is_hidden() {
        byte[] found = "\u00ff\u00c3 4111111111111111 \u00e2\u0082\u00c3".getBytes(StandardCharsets.ISO_8859_1);
        byte[] shown = "\u00ff\u00c3 **************** \u00e2\u0082\u00c3".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(Mask.personal(found)).isEqualTo(shown);
        assertThat(Mask.personal("4111111111111111".getBytes(StandardCharsets.UTF_16LE))).doesNotContain((byte) '1');
    }

    /** In a quadratic number of steps this would take many minutes. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void a_record_at_the_size_limit_is_masked_in_steps_that_grow_with_its_length() {
        for (String run : new String[] {"x", "1", "card_", "a@", "a@b.", "pm-", "x.", "cvc", "cvc ", "holder", "holder=", "holder=a>",
            "\"name\":{", "\"name\":\"", "\\",
            "\"holder\":[", "4111111111111111 ", "\\u0034"}) {
            String hostile = run.repeat(1_000_000 / run.length());
            assertThat(Mask.personal(hostile + " a@example.com")).hasSize(hostile.length() + 14).endsWith("*".repeat(13));
        }
    }
}
