// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.LetterCopies;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Stages dead letters again for the compacted topic where it shows something else than the table. */
public final class Repair {

    private static final int BATCH = 200;

    private final DeadLetterQueue queue;

    public Repair(DeadLetterQueue queue) {
        this.queue = queue;
    }

    public void run(List<String> ids, AuditContext by) {
        for (int from = 0; from < ids.size(); from += BATCH) {
            runOnce(ids.subList(from, Math.min(ids.size(), from + BATCH)), by);
        }
    }

    private void runOnce(List<String> ids, AuditContext by) {
        queue.database().inTransaction(connection -> {
            LetterCopies.stage(connection, queue.topics(), ids);
            AuditLog.append(connection, ids.stream().map(id -> new AuditLog.Entry(by.person(), "dlq.repaired", Optional.empty(),
                    "dead_letter", id, by.reason(), Map.of("run", by.run()))).toList());
            return ids;
        });
    }
}
