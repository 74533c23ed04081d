// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.settlement;

import java.util.List;

/**
 * What one line of a bank says, as its row stores it: text, empty where the row has nothing.
 *
 * @param kind   rejected, file_rejected, booked or returned
 * @param key    the EndToEndId
 * @param amount in minor units
 * @param credit true or false
 * @param on     a date of ISO 8601
 */
public record BankSaid(String bank, String kind, String key, String amount, String currency, String credit, String code, String reference,
        String on) {

    /** Each part with its length before it, so that no two lines have the same text. */
    String marked() {
        var text = new StringBuilder("chargeonce bank line 1");
        for (String part : List.of(bank, kind, key, amount, currency, credit, code, reference, on)) {
            text.append('\n').append(part.length()).append(':').append(part);
        }
        return text.toString();
    }
}
