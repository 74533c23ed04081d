// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.story.AuditTrail;
import java.util.LinkedHashMap;
import java.util.Map;

/** Who did what with the queue. */
public final class AuditJson {

    private AuditJson() {}

    public static Map<String, Object> of(AuditTrail.Line line) {
        var json = new LinkedHashMap<String, Object>();
        json.put("from", line.from().toString());
        json.put("until", line.until().toString());
        json.put("actor", line.actor());
        Json.putIfPresent(json, "claim", line.claim());
        json.put("action", line.action());
        Json.putIfPresent(json, "of", line.of());
        Json.putIfPresent(json, "run", line.run());
        line.finding().ifPresent(finding -> {
            json.put("verdict", finding.verdict());
            Json.putIfPresent(json, "psp_reference", finding.reference());
        });
        Json.putIfPresent(json, "reason", line.reason());
        json.putAll(Json.sum(line.sum()));
        return json;
    }
}
