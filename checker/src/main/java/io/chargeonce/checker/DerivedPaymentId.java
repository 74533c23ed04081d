package io.chargeonce.checker;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The payment that a merchant's key must name: worked out here anew, from the published rule. */
final class DerivedPaymentId {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int LETTERS = 26;

    private DerivedPaymentId() {}

    static String of(String merchant, String key) {
        var bits = new BigInteger(1, sha256("v1|" + merchant + "|" + key)).shiftRight(256 - 5 * LETTERS);
        var letters = new char[LETTERS];
        for (int i = LETTERS - 1; i >= 0; i--) {
            letters[i] = ALPHABET.charAt(bits.intValue() & 31);
            bits = bits.shiftRight(5);
        }
        return "pay_" + new String(letters);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
