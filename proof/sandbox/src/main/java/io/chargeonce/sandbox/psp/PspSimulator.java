// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import java.time.Duration;
import java.util.List;

/** A simulated PSP as a test sees it. Any thread may call it. */
public interface PspSimulator extends AutoCloseable {
    /** From now on requests that match meet the rule's fault. Returns the rule's id. */
    long inject(FaultRule rule);

    void removeRule(long id);

    void removeRules();

    /** Every capture and refund, oldest first. */
    List<Movement> movements();

    /** Every request, in the order in which they were answered. */
    List<LoggedRequest> requests();

    Counts counts();

    /**
     * A customer disputes a captured payment, or its dispute goes on to this step. Webhooks tell of that.
     *
     * @param payment the PSP's id of it
     */
    LedgerDispute dispute(String payment, DisputeStep step);

    /** Oldest first. */
    List<LedgerDispute> disputes();

    /** Holds webhooks back from now on, or, when called with false, delivers all of them. */
    void holdWebhooks(boolean now);

    /** From now on the newest webhook comes first, and each comes twice; or, when called with false, in order again. */
    void disorderWebhooks(boolean now);

    /** The whole API answers 503 and executes nothing for this long. */
    void outage(Duration time);

    void endOutage();

    /** Cuts every connection and refuses new ones, the admin's too, until {@link #acceptConnections}. */
    void refuseConnections();

    /** Listens again, on the same port. */
    void acceptConnections();

    @Override
    void close();
}
