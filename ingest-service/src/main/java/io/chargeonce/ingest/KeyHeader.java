package io.chargeonce.ingest;

import io.chargeonce.payment.IdempotencyKey;
import java.util.List;

/** Reads the Idempotency-Key header. */
final class KeyHeader {

    private KeyHeader() {}

    /** @param values the header's values, as many as were sent */
    static Checked<IdempotencyKey> read(List<String> values) {
        return switch (values.size()) {
            case 0 -> new Checked.Wrong<>(Problems.keyMissing());
            case 1 -> IdempotencyKey.parse(values.getFirst())
                    .<Checked<IdempotencyKey>>map(Checked.Right::new)
                    .orElseGet(() -> new Checked.Wrong<>(Problems.keyInvalid()));
            default -> new Checked.Wrong<>(Problems.keyInvalid());
        };
    }
}
