// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.personal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.ledger.AuditLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Looks without the masks. Each is in the audit log before its first byte is shown; only the role chargeonce_dlq_unmask may say so. */
public final class Unmasked {

    private Unmasked() {}

    /**
     * @param by who looks, and why
     * @throws io.chargeonce.database.DatabaseRefused if this role may not look without the masks; nothing was read
     */
    public static void one(DeadLetterQueue queue, String id, AuditContext by) {
        say(queue, "dead_letter", id, 1, by, Map.of());
    }

    /** As many as the filter means now in the queue. */
    public static void many(DeadLetterQueue queue, DeadLetterFilter filter, AuditContext by) {
        many(queue, filter, Selection.From.THE_QUEUE, by);
    }

    /** As many as the filter means now, in the queue or among what was purged. */
    public static void many(DeadLetterQueue queue, DeadLetterFilter filter, Selection.From from, AuditContext by) {
        Plan plan = from == Selection.From.THE_QUEUE ? Plan.of(queue, filter) : Plan.ofPurged(queue, filter);
        long count = plan.standings().total().count();
        say(queue, "dead_letters", by.run(), count, by, Map.of("filter", filter.given()));
    }

    private static void say(DeadLetterQueue queue, String type, String resource, long count, AuditContext by, Map<String, Object> more) {
        if (by.reason().isEmpty()) {
            throw new IllegalArgumentException("a look without the masks needs a reason");
        }
        var data = new TreeMap<String, Object>(more);
        data.put("run", by.run());
        data.put("count", count);
        queue.database().inTransaction(connection -> {
            AuditLog.append(connection, List.of(new AuditLog.Entry(by.person(), "dlq.unmasked", Optional.empty(), type, resource,
                    by.reason(), data)));
            return count;
        });
    }
}
