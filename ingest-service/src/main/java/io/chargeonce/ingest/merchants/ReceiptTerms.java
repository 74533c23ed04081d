// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.text.Cut;
import io.chargeonce.text.Printable;
import java.util.Optional;

/**
 * What a merchant's customers see on receipts; what is empty stays as it is, and an empty text takes it away.
 *
 * @param name    the merchant's own, for customers
 * @param locale  language and country, such as de or fr-CA
 * @param replyTo where customers' answers go
 */
public record ReceiptTerms(Optional<String> name, Optional<String> locale, Optional<String> replyTo) {

    public static final ReceiptTerms NONE = new ReceiptTerms(Optional.empty(), Optional.empty(), Optional.empty());

    /** As the schema has it. */
    public ReceiptTerms {
        if (name.filter(text -> Cut.isLonger(text, 100) || text.codePoints().anyMatch(Printable::isOrder)).isPresent()) {
            throw new IllegalArgumentException("a name on receipts has at most 100 characters, on one line");
        }
        if (locale.filter(text -> !text.matches("|[a-z]{2,3}(-[A-Z]{2})?")).isPresent()) {
            throw new IllegalArgumentException("a locale is a language, with a country if needed, such as en, de or fr-CA");
        }
        if (replyTo.filter(text -> !text.matches("|[!-?A-~]+@[!-?A-~]+") || text.length() > 254).isPresent()) {
            throw new IllegalArgumentException("an address for answers is one mail address, such as help@acme.example");
        }
    }

    boolean areEmpty() {
        return name.isEmpty() && locale.isEmpty() && replyTo.isEmpty();
    }
}
