package io.chargeonce.dlq;

import io.chargeonce.ledger.AuditLog;
import java.util.TreeMap;

/** The audit record of one change to one dead letter. */
final class Audit {

    private Audit() {}

    static AuditLog.Entry entry(Mandate mandate, String action, DeadLetterView letter) {
        var data = new TreeMap<String, Object>();
        data.put("run", mandate.run());
        data.put("cause", letter.cause());
        data.put("generation", letter.generation());
        letter.money().ifPresent(money -> {
            data.put("amount", money.minorUnits());
            data.put("currency", money.currency());
        });
        return new AuditLog.Entry(mandate.actor(), action, letter.merchant(),
                letter.operationId().isPresent() ? "operation" : "dead_letter", letter.id(), mandate.reason(), data);
    }
}
