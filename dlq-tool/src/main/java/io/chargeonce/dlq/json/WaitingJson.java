// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import java.util.LinkedHashMap;
import java.util.Map;

/** What waits in the tiers. */
public final class WaitingJson {

    private WaitingJson() {}

    public static Map<String, Object> of(WaitingPayments.Group group) {
        var json = new LinkedHashMap<String, Object>();
        json.put("tier", group.tier());
        json.put("state", group.state());
        json.put("cause", group.cause());
        Json.putIfPresent(json, "psp", group.psp());
        json.putAll(Json.sum(group.sum()));
        json.put("next_due_seconds", group.first().toSeconds());
        json.put("last_due_seconds", group.last().toSeconds());
        return json;
    }

    public static Map<String, Object> of(WaitingPayment payment) {
        var json = new LinkedHashMap<String, Object>();
        json.put("operation_id", payment.id());
        json.put("operation", payment.kind());
        json.put("merchant", payment.merchant());
        json.put("amount", payment.money().minorUnits());
        json.put("currency", payment.money().currency());
        json.put("tier", payment.tier());
        json.put("state", payment.state());
        json.put("cause", payment.cause());
        json.put("message", Mask.personal(payment.message()));
        Json.putIfPresent(json, "psp", payment.psp());
        json.put("attempts", payment.attempts());
        json.put("due_at", payment.dueAt().toString());
        return json;
    }
}
