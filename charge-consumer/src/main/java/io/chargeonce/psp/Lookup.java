// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import java.time.Duration;

/** Finds all attempts of a payment that a PSP has, also those that our database has lost. Moves no money. Any thread. */
public interface Lookup {

    /** How long after its first byte an attempt may still be invisible here. */
    Duration lag();

    /** A failed question says nothing about the money. */
    Traces find(PaymentId payment, Money money);
}
