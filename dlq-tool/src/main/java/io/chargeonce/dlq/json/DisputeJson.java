// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.ledger.Dispute;
import java.util.LinkedHashMap;
import java.util.Map;

/** A dispute as it stands now. */
public final class DisputeJson {

    private DisputeJson() {}

    public static Map<String, Object> of(Dispute dispute) {
        var json = new LinkedHashMap<String, Object>();
        json.put("what", "dispute");
        json.put("psp", dispute.psp());
        json.put("id", dispute.reference());
        dispute.money().ifPresent(money -> {
            json.put("amount", money.minorUnits());
            json.put("currency", money.currency());
        });
        json.put("reason", dispute.reason());
        json.put("stage", dispute.stage().tag());
        json.put("funds", dispute.funds().tag());
        json.put("is_final", dispute.isFinal());
        dispute.toAnswerBy().ifPresent(due -> json.put("due_by", due.toString()));
        return json;
    }
}
