// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Set;

/** ISO 20022 codes that refuse a second copy of a file, a message id or a payment. What was sent before is there, so it is no rejection. */
public final class DuplicateCodes {

    private static final Set<String> ALL = Set.of("AM05", "DUPL", "DU01", "DU02", "DU03", "DU04");

    private DuplicateCodes() {}

    public static Set<String> all() {
        return ALL;
    }

    public static boolean isThereAlready(String code) {
        return ALL.contains(code);
    }
}
