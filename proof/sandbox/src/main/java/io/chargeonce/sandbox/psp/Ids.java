// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.concurrent.ThreadLocalRandom;

/** Makes ids that look like a PSP's. They are random, so that a restart or a second simulator never repeats one. */
public final class Ids {
    private static final String UPPER_CASE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final String BOTH_CASES = UPPER_CASE + "abcdefghijklmnopqrstuvwxyz";

    private Ids() {}

    /** Digits and letters of both cases after the prefix. */
    public static String next(String prefix, int length) {
        return next(prefix, length, BOTH_CASES);
    }

    /** Digits and capitals. */
    public static String nextUpperCase(int length) {
        return next("", length, UPPER_CASE);
    }

    private static String next(String prefix, int length, String alphabet) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        StringBuilder id = new StringBuilder(prefix);
        for (int i = 0; i < length; i++) {
            id.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return id.toString();
    }
}
