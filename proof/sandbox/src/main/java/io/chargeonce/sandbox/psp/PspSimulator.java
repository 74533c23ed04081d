// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

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
