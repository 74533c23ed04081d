// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.dispute;

import java.util.List;

/** What customers dispute at their banks: at most one dispute of a payment. Any thread. */
public interface Disputes {

    /**
     * The dispute of a captured payment goes on to this step, or begins with it. Webhooks tell of that.
     *
     * @param payment the PSP's id of it
     */
    LedgerDispute become(String payment, DisputeStep step);

    /** Oldest first. */
    List<LedgerDispute> all();
}
