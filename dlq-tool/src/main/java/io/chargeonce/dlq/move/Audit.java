// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetterTable;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The audit record of what a person did with one dead letter. */
public final class Audit {

    private Audit() {}

    /** What is written for each of these letters that changes. */
    public static DeadLetterTable.OnRecord of(AuditContext by, String action, Collection<DeadLetterView> letters) {
        Map<String, DeadLetterView> byId = letters.stream().collect(Collectors.toMap(DeadLetterView::id, Function.identity()));
        return (id, revision) -> entry(by, action, byId.get(id), Map.of("revision", revision));
    }

    /** Of a deed that leaves the letter in the queue as it was. */
    public static AuditLog.Entry entry(AuditContext by, String action, DeadLetterView letter) {
        return entry(by, action, letter, Map.of());
    }

    private static AuditLog.Entry entry(AuditContext by, String action, DeadLetterView letter, Map<String, Integer> change) {
        var data = new TreeMap<String, Object>(change);
        data.put("run", by.run());
        data.put("cause", letter.cause());
        data.put("generation", letter.generation());
        letter.money().ifPresent(money -> {
            data.put("amount", money.minorUnits());
            data.put("currency", money.currency());
        });
        return new AuditLog.Entry(by.person(), action, letter.merchant(),
                letter.operationId().isPresent() ? "operation" : "dead_letter", letter.id(), by.reason(), data);
    }
}
