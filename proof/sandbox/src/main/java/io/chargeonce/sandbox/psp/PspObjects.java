// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.stream.Stream;

/** The payments, refunds and other objects that a PSP's API shows. The {@link PspLedger} changes them, one thread at a time. */
public interface PspObjects<C extends PspChange> {
    void apply(C change);

    /** The status of each payment, in the PSP's words. */
    Stream<String> statuses();

    void clear();
}
