// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

/** {@code 1 payment}, {@code 2,000 payments}. Pure. */
public final class Counted {

    private Counted() {}

    public static String of(long count, String one) {
        return of(count, one, one + "s");
    }

    public static String of(long count, String one, String many) {
        return "%,d %s".formatted(count, count == 1 ? one : many);
    }

    public static String are(long count, String one) {
        return of(count, one) + (count == 1 ? " is" : " are");
    }
}
