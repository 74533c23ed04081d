// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.IdempotencyKey;
import java.util.List;
import java.util.Optional;

/** Reads idempotency keys, from the header Idempotency-Key and from other places. */
public final class KeyHeader {

    private KeyHeader() {}

    /** @param values the header's values, as many as were sent */
    public static Checked<IdempotencyKey> read(List<String> values, RequestForm form) {
        return switch (values.size()) {
            case 0 -> new Checked.Wrong<>(Problems.keyMissing(form));
            case 1 -> check(values.getFirst(), form);
            default -> new Checked.Wrong<>(Problems.keyInvalid(form));
        };
    }

    /** Whether this can be a key. What may be a card number is refused: keys are stored, published and shown. */
    public static Checked<IdempotencyKey> check(String value, RequestForm form) {
        Optional<IdempotencyKey> key = IdempotencyKey.parse(value);
        if (key.isEmpty()) {
            return new Checked.Wrong<>(Problems.keyInvalid(form));
        }
        return CardNumbers.isIn(key.get().value()) ? new Checked.Wrong<>(Problems.cardNumber(form, List.of(form.keyField())))
                : new Checked.Right<>(key.get());
    }
}
