// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.wire.PaymentJson;
import org.junit.jupiter.api.Test;

class PrintableTest {

    @Test
    void json_stays_json_and_what_could_turn_or_hide_text_is_written_as_json_writes_it() {
        String foreign = "a\u00ad\u200d\u202e\u007f" + Character.toString(0xF0000) + "\ud83d\ude00";
        String safe = Printable.json("{\"said\":\"" + foreign + "\"}");
        assertThat(safe).isEqualTo("{\"said\":\"a\\u00ad\\u200d\\u202e\\u007f\\udb80\\udc00\ud83d\ude00\"}");
        assertThat(PaymentJson.MAPPER.readTree(safe).path("said").asString()).isEqualTo(foreign);
    }
}
