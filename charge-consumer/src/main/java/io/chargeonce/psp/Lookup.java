// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Operation;

/** Finds all attempts of a charge, a refund or a reversal that a PSP has, also those that our database lost. Moves no money. Any thread. */
public interface Lookup {

    /**
     * A failed status query says nothing about the money, and neither does one that may miss what the PSP had when this process started.
     */
    Traces find(Operation operation);
}
