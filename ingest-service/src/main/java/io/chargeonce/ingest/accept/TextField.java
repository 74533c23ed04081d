// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.text.Cut;
import io.chargeonce.text.Printable;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a text of a merchant's must be, in every request. */
public final class TextField {

    private TextField() {}

    /** What is wrong with it, as the end of a sentence; empty if it is right. */
    public static Optional<String> fault(JsonNode node) {
        if (!node.isString()) {
            return Optional.of("must be a string");
        }
        String text = node.stringValue();
        if (text.isBlank() || Cut.isLonger(text, PaymentRequest.LONGEST_TEXT)) {
            return Optional.of("must have 1 to %d characters and not only blanks".formatted(PaymentRequest.LONGEST_TEXT));
        }
        return text.codePoints().anyMatch(TextField::isNoText)
                ? Optional.of("must be Unicode text without characters that control how it is shown") : Optional.empty();
    }

    /** What would show a person another text than is stored, NUL, and halves of surrogate pairs, which have no UTF-8. */
    private static boolean isNoText(int codePoint) {
        return Printable.isOrder(codePoint)
                || codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
