// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Instant;
import java.util.Set;

/**
 * What one process knows of a PSP, for the others.
 *
 * @param lastGood   when the latest call began that was answered well
 * @param lastBad    when the latest trouble was heard of
 * @param unwellFrom when the first of the failures came that opened the breaker last
 * @param lastUnwell when the breaker opened last, or stayed open
 * @param row        calls in a row that failed
 * @param inARow     their payments, three at most
 */
public record PspNews(Instant lastGood, Instant lastBad, Instant unwellFrom, Instant lastUnwell,
        boolean isOpen, int row, Set<String> inARow) {

    public PspNews {
        inARow = Set.copyOf(inARow);
    }
}
