// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.personal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Mandate;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.ledger.AuditLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Looks without the masks. Each is in the audit log before its first byte is read; only the role chargeonce_dlq_unmask may say so. */
public final class Unmasked {

    private Unmasked() {}

    /**
     * @param mandate who looks, and why
     * @throws io.chargeonce.database.DatabaseRefused if this role may not look without the masks; nothing was read
     */
    public static void one(DeadLetterQueue queue, String id, Mandate mandate) {
        say(queue, "dead_letter", id, 1, mandate, Map.of());
    }

    /** As many as the filter means now. */
    public static void many(DeadLetterQueue queue, DeadLetterFilter filter, Mandate mandate) {
        long count = Plan.of(queue, filter).standings().total().count();
        say(queue, "dead_letters", mandate.run(), count, mandate, Map.of("filter", filter.given()));
    }

    private static void say(DeadLetterQueue queue, String type, String resource, long count, Mandate mandate, Map<String, Object> more) {
        if (mandate.reason().isEmpty()) {
            throw new IllegalArgumentException("a look without the masks needs a reason");
        }
        var data = new TreeMap<String, Object>(more);
        data.put("run", mandate.run());
        data.put("count", count);
        queue.database().inTransaction(connection -> {
            AuditLog.append(connection, List.of(new AuditLog.Entry(mandate.person(), "dlq.unmasked", Optional.empty(), type, resource,
                    mandate.reason(), data)));
            return count;
        });
    }
}
