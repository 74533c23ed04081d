// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

/** {@code 1 payment}, {@code 2,000 payments}. */
final class Counted {

    private Counted() {}

    static String of(long count, String one) {
        return "%,d %s".formatted(count, count == 1 ? one : one + "s");
    }

    static String are(long count, String one) {
        return of(count, one) + (count == 1 ? " is" : " are");
    }
}
