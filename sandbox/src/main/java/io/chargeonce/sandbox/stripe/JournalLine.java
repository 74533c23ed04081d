// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.LoggedRequest;
import java.util.Optional;

/** One request with all that came of it: the unit that is written, and after a restart read again. */
record JournalLine(LoggedRequest request, Change change, Optional<FrozenAnswer> frozen) {
    static JournalLine of(LoggedRequest request) {
        return new JournalLine(request, Change.NOTHING, Optional.empty());
    }
}
