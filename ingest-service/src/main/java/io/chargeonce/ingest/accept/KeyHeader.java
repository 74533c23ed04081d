// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.IdempotencyKey;
import java.util.List;
import java.util.Optional;

/** Reads the Idempotency-Key header, and checks what else is to be a key. */
public final class KeyHeader {

    private KeyHeader() {}

    /** @param values the header's values, as many as were sent */
    public static Checked<IdempotencyKey> read(List<String> values) {
        return switch (values.size()) {
            case 0 -> new Checked.Wrong<>(Problems.keyMissing());
            case 1 -> check(values.getFirst(), "Idempotency-Key");
            default -> new Checked.Wrong<>(Problems.keyInvalid());
        };
    }

    /**
     * Whether this can be a key. One that can be a card number is refused, for keys are stored, published and shown.
     *
     * @param field what the sender calls it
     */
    public static Checked<IdempotencyKey> check(String value, String field) {
        Optional<IdempotencyKey> key = IdempotencyKey.parse(value);
        if (key.isEmpty()) {
            return new Checked.Wrong<>(Problems.keyInvalid());
        }
        return CardNumbers.isIn(key.get().value()) ? new Checked.Wrong<>(Problems.cardNumber(List.of(field)))
                : new Checked.Right<>(key.get());
    }
}
