// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/** Ids that follow from what they identify: worked out here again, from the published rules. */
public final class RederivedId {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int LETTERS = 26;
    private static final int BYTES_OF_A_RECEIPT = 16;
    private static final long SECONDS_OF_A_LIFE = 45 * 86_400;

    private RederivedId() {}

    /** The payment that a merchant's key must name. */
    public static String ofPayment(String merchant, String key) {
        return "pay_" + letters("v1|" + merchant + "|" + key);
    }

    /** The key under which an attempt must be sent. */
    public static String ofAttempt(String payment, String operation, String reference, String psp, int sequence) {
        return letters(payment + "|" + operation + "|" + reference + "|" + psp + "|" + sequence);
    }

    /**
     * Under which a recipient gets the receipt of an operation. Of letters, only A to Z have another case here. The same key may be another
     * payment after it was forgotten, for at least 45 days after its last acceptance.
     */
    public static String ofReceipt(String operation, Instant acceptedAt, String recipient) {
        String lower = recipient.strip().codePoints().map(c -> c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        byte[] digest = sha256(operation + "/" + Math.floorDiv(acceptedAt.getEpochSecond(), SECONDS_OF_A_LIFE) + " " + lower);
        return "rcp_" + HexFormat.of().formatHex(digest, 0, BYTES_OF_A_RECEIPT);
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
