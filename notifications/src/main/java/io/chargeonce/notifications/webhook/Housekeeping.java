// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.time.Duration;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Disables endpoints after long failure, forgets old deliveries, and measures the backlog. One worker calls it. */
final class Housekeeping implements IntSupplier {

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final int BATCH = 1_000;

    private final DeliveryTable table;
    private final WebhookMeters meters;
    private final Duration disableAfter;
    private final Duration keep;

    Housekeeping(DeliveryTable table, WebhookMeters meters, Duration disableAfter, Duration keep) {
        this.table = table;
        this.meters = meters;
        this.disableAfter = disableAfter;
        this.keep = keep;
    }

    /** Returns how many rows it has changed: more may be left. */
    @Override
    public int getAsInt() {
        // Postgres disables none while most merchants are not reached.
        for (String endpoint : table.disableFailing(disableAfter)) {
            LOG.error("Webhook endpoint {} was disabled: every try has failed for {}. Tell its merchant; 'chargeonce webhook enable {}' "
                    + "ends it", endpoint, disableAfter, endpoint);
        }
        int changed = table.endOfDisabled(BATCH) + table.forget(keep, BATCH);
        meters.show(table.backlog());
        return changed;
    }
}
