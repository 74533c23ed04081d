// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.text.Cut;

/** Text from outside. Postgres refuses a NUL in it, and a PSP's odd answer must not stop its payment. */
public final class ForeignText {

    private static final int LONGEST = 500;

    private ForeignText() {}

    public static String storable(String text) {
        return text.replace('\0', ' ');
    }

    /** Also cut to the length of the columns for messages. */
    public static String brief(String text) {
        return Cut.to(LONGEST, storable(text));
    }
}
