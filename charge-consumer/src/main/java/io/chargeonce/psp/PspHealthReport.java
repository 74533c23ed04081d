// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Instant;
import java.util.Set;

/**
 * What one process knows about a PSP, for the others.
 *
 * @param lastGood   when the latest call began that was answered well
 * @param lastBad    when the latest trouble was noticed
 * @param unwellFrom when the first of the failures came that last opened the breaker
 * @param lastUnwell when the breaker last opened, or stayed open
 * @param row        failed calls in a row
 * @param inARow     their payments, three at most
 * @param lastAsked  when a payment last wanted to go there
 */
public record PspHealthReport(Instant lastGood, Instant lastBad, Instant unwellFrom, Instant lastUnwell,
        boolean isOpen, int row, Set<String> inARow, Instant lastAsked) {

    public PspHealthReport {
        inARow = Set.copyOf(inARow);
    }
}
