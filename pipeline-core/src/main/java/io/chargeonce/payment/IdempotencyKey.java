// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;
import java.util.Optional;

/**
 * The producer's own id of one payment: 1 to 255 visible ASCII characters, compared as they are.
 *
 * <p>255 is the longest limit that a large PSP publishes; business keys such as {@code payment-1234-refund} are welcome.
 */
public record IdempotencyKey(String value) {

    public static final int LONGEST = 255;
    /**
     * A key stays taken for at least as long after the last thing that happened to its payment: longer than any PSP repeats its answer to a
     * key, and than a topic keeps a record. So two payments of one key are never accepted in the same period of this length.
     */
    public static final Duration SHORTEST_RETENTION = Duration.ofDays(45);

    public IdempotencyKey {
        if (!isWellFormed(value)) {
            throw new IllegalArgumentException("an idempotency key is 1 to 255 visible ASCII characters");
        }
    }

    /**
     * Reads the header's value, bare ({@code abc}) or as an RFC 8941 string ({@code "abc"}): both are the same key. What begins with a
     * quote and is not such a string, as with a parameter behind it ({@code "abc";v=1}), is no key: as another key it would charge again.
     */
    public static Optional<IdempotencyKey> parse(String header) {
        String key = !header.startsWith("\"") ? header
                : header.length() >= 2 && header.endsWith("\"") ? unquote(header.substring(1, header.length() - 1)) : "";
        return isWellFormed(key) ? Optional.of(new IdempotencyKey(key)) : Optional.empty();
    }

    /** Undoes RFC 8941's two escapes, {@code \"} and {@code \\}; anything else malformed gives the empty text. */
    private static String unquote(String inner) {
        var key = new StringBuilder();
        for (int i = 0; i < inner.length(); i++) {
            char c = inner.charAt(i);
            if (c == '\\') {
                i++;
                if (i == inner.length() || inner.charAt(i) != '"' && inner.charAt(i) != '\\') {
                    return "";
                }
                c = inner.charAt(i);
            } else if (c == '"') {
                return "";
            }
            key.append(c);
        }
        return key.toString();
    }

    private static boolean isWellFormed(String key) {
        return !key.isEmpty() && key.length() <= LONGEST && key.chars().allMatch(c -> c >= 0x21 && c <= 0x7e);
    }

    @Override
    public String toString() {
        return value;
    }
}
