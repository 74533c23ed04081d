// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Ids derived from what they identify, so that every copy of a request leads to the same payment and every copy of an attempt to the same
 * PSP key. 26 characters of lower-case base32 (RFC 4648 alphabet) hold 130 bits of a SHA-256 and fit the shortest reference of any rail: 35
 * characters in ISO 20022.
 */
public final class DerivedId {

    private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz234567".toCharArray();
    private static final int LENGTH = 26;

    private DerivedId() {}

    public static String of(Object... parts) {
        var text = new StringBuilder();
        for (Object part : parts) {
            text.append(text.isEmpty() ? "" : "|").append(part);
        }
        return base32(sha256(text.toString()));
    }

    public static boolean isWellFormed(String text) {
        return text.length() == LENGTH
                && text.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= '2' && c <= '7');
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static String base32(byte[] bytes) {
        var letters = new char[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            int bit = i * 5;
            int window = (bytes[bit / 8] & 0xff) << 8 | bytes[bit / 8 + 1] & 0xff;
            letters[i] = ALPHABET[window >> 11 - bit % 8 & 31];
        }
        return new String(letters);
    }
}
