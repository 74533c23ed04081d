// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import java.util.Optional;

/**
 * Who may send payments, and how.
 *
 * @param requestsPerSecond the most that one ingest process takes from it; empty is no limit
 */
public record Merchant(String id, Optional<Integer> requestsPerSecond) {

    static final String ID_RULE = "1 to 63 lower-case letters, digits, dashes or underscores, a letter or digit first";

    public Merchant {
        if (!isId(id)) {
            throw new IllegalArgumentException("a merchant's id is " + ID_RULE);
        }
    }

    static boolean isId(String text) {
        return text.matches("[a-z0-9][a-z0-9_-]{0,62}");
    }
}
