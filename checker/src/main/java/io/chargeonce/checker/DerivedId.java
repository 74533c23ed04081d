// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Ids that follow from what they identify: worked out here again, from the published rules. */
final class DerivedId {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int LETTERS = 26;

    private DerivedId() {}

    /** The payment that a merchant's key must name. */
    static String ofPayment(String merchant, String key) {
        return "pay_" + letters("v1|" + merchant + "|" + key);
    }

    /** The key under which an attempt must be sent. */
    static String ofAttempt(String payment, String operation, String reference, String psp, int sequence) {
        return letters(payment + "|" + operation + "|" + reference + "|" + psp + "|" + sequence);
    }

    private static String letters(String text) {
        var bits = new BigInteger(1, sha256(text)).shiftRight(256 - 5 * LETTERS);
        var letters = new char[LETTERS];
        for (int i = LETTERS - 1; i >= 0; i--) {
            letters[i] = ALPHABET.charAt(bits.intValue() & 31);
            bits = bits.shiftRight(5);
        }
        return new String(letters);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
