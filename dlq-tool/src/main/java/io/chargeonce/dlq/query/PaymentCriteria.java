// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.util.Optional;

/**
 * What a payment must be like. Poison has none of these but the run. Every condition that is given must hold.
 *
 * @param atLeast    minor units
 * @param atMost     minor units
 * @param tier       the tier it waited in last; 0 if it never came to one
 * @param generation 1, and one more for each merge
 * @param run        the merge run that had it in its set, or the import that took it in
 * @param diedAgain  only what that run sent back
 */
public record PaymentCriteria(Optional<String> currency, Optional<Long> atLeast, Optional<Long> atMost, Optional<Integer> tier,
        Optional<Integer> generation, Optional<String> run, boolean diedAgain, PaymentNames names) {

    public static final PaymentCriteria ANY = new PaymentCriteria(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), false, PaymentNames.ANY);

    public static PaymentCriteria ofRun(String run) {
        return new PaymentCriteria(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.of(run), false, PaymentNames.ANY);
    }
}
