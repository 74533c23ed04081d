// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts what people did, by action, when it is sealed. So alerts see it, although command lines have no meters. One thread. */
final class HumanActionMetrics {

    private static final String OTHER = "other";
    /** A fixed set, because a role that may append a record chooses part of its action. */
    static final List<String> KNOWN = List.of("dlq.merged", "dlq.asked", "dlq.purged", "dlq.restored", "dlq.canceled", "dlq.edited",
            "dlq.imported", "dlq.retried_now", "dlq.stopped", "dlq.paused", "dlq.forced", "dlq.resumed", "dlq.record.retried",
            "dlq.record.dropped",
            "dlq.unmasked", "personal_data.erased", "dlq.settlement_proposed", "dlq.run.planned", "dlq.run.approved", "dlq.run.led",
            "dlq.run.rate_set", "dlq.run.stopped", "dlq.run.aborted", "dlq.run.cancelled", "merchant.added", "merchant.set",
            "token.created",
            "token.rotated", "token.revoked", "person.added", "person.removed", "four_eyes.set");

    private final Map<String, Integer> counted = new TreeMap<>();

    static void show(MeterRegistry meters) {
        KNOWN.forEach(action -> count(meters, action, 0));
        count(meters, OTHER, 0);
    }

    void add(String action) {
        if (KNOWN.contains(action)) {
            counted.merge(action, 1, Integer::sum);
        } else if (action.startsWith("dlq.") || action.startsWith("merchant.") || action.startsWith("token.")) {
            counted.merge(OTHER, 1, Integer::sum);
        }
    }

    void count(MeterRegistry meters) {
        counted.forEach((action, times) -> count(meters, action, times));
    }

    private static void count(MeterRegistry meters, String action, int times) {
        meters.counter("chargeonce.audit.deeds", "action", action).increment(times);
    }
}
