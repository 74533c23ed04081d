// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.waiting;

import io.chargeonce.dlq.query.PaymentNames;
import java.util.List;
import java.util.Optional;

/**
 * Which waiting payments and refunds are meant. Every condition that is given must hold.
 *
 * @param ids when given, only these
 * @param psp what waits for this PSP: what would go there next, or went there last
 * @param presentations also declined payments that wait for their next presentation, in no tier
 */
public record WaitingFilter(Optional<List<String>> ids, Optional<String> cause, Optional<String> psp, Optional<String> merchant,
        Optional<Integer> tier, Optional<String> currency, PaymentNames names, boolean presentations) {

    public static WaitingFilter everything() {
        return new WaitingFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                PaymentNames.ANY, false);
    }

    public WaitingFilter psp(String name) {
        return new WaitingFilter(ids, cause, Optional.of(name), merchant, tier, currency, names, presentations);
    }

    public WaitingFilter merchant(String id) {
        return new WaitingFilter(ids, cause, psp, Optional.of(id), tier, currency, names, presentations);
    }

    public WaitingFilter tier(int number) {
        return new WaitingFilter(ids, cause, psp, merchant, Optional.of(number), currency, names, presentations);
    }

    public static WaitingFilter ofIds(List<String> ids) {
        return new WaitingFilter(Optional.of(ids), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                PaymentNames.ANY, false);
    }

    public WaitingFilter withPresentations() {
        return new WaitingFilter(ids, cause, psp, merchant, tier, currency, names, true);
    }
}
