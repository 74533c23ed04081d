// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.payment.PaymentId;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/** The next page begins after this payment. Clients see an opaque text. */
record Cursor(Instant acceptedAt, PaymentId id) {

    /** Times that Postgres can compare, and wider than any payment's. */
    private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    static Optional<Cursor> parse(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            String[] parts = plain.split(" ", -1);
            return parts.length == 2
                    ? PaymentId.parse(parts[1]).map(id -> new Cursor(Instant.parse(parts[0]), id)).filter(Cursor::isOfATimeThatMayBe)
                    : Optional.empty();
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private boolean isOfATimeThatMayBe() {
        return !acceptedAt.isBefore(FIRST) && !acceptedAt.isAfter(LAST);
    }

    @Override
    public String toString() {
        return Base64.getUrlEncoder().withoutPadding()
                .encodeToString((acceptedAt + " " + id).getBytes(StandardCharsets.UTF_8));
    }
}
