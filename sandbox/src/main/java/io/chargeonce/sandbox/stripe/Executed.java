// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.Optional;

/** An answer together with what has to change for it to be true. */
record Executed(Answer answer, Change change) {

    static Executed nothingBut(Answer answer) {
        return new Executed(answer, Change.NOTHING);
    }

    static Executed of(PaymentIntent intent) {
        return new Executed(new Answer.Intent(intent, Optional.empty()), Change.of(intent));
    }
}
