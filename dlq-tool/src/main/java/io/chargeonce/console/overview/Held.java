// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import java.util.Optional;

/** What people hold back, as read at one moment. */
public interface Held {

    /** Nothing is held. */
    Held NOTHING = new Held() {

        @Override
        public boolean tier(int tier) {
            return false;
        }

        @Override
        public Optional<String> psp(String psp) {
            return Optional.empty();
        }
    };

    boolean tier(int tier);

    /** {@code held} or {@code forced}; empty if neither. */
    Optional<String> psp(String psp);
}
