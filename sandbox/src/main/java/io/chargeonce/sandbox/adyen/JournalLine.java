// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.LoggedRequest;
import java.util.Optional;

/** One request with all that came of it, or something that happened by itself: the unit that is written and read again. */
record JournalLine(Optional<LoggedRequest> request, Change change, Optional<FrozenAnswer> frozen) {
    static JournalLine of(LoggedRequest request) {
        return new JournalLine(Optional.of(request), Change.NOTHING, Optional.empty());
    }

    static JournalLine of(Change change) {
        return new JournalLine(Optional.empty(), change, Optional.empty());
    }
}
