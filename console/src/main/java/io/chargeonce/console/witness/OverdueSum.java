// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;
import java.util.List;

/** @param oldestAt when the one that is overdue for the longest was due; null if there is none */
public record OverdueSum(long count, List<Sum> money, Instant oldestAt) {

    /** @param amount in minor units */
    public record Sum(String currency, long amount, long count) {}
}
