// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.hold.HoldEffect;
import io.chargeonce.ledger.Hold;
import java.util.LinkedHashMap;
import java.util.Map;

/** What people have paused or forced, and what that concerns. */
public final class HoldJson {

    private HoldJson() {}

    public static Map<String, Object> of(Hold hold) {
        var json = new LinkedHashMap<String, Object>();
        json.put("kind", hold.kind().tag());
        json.put("name", hold.name());
        json.put("action", hold.action().tag());
        json.put("reason", hold.reason());
        json.put("by", hold.by());
        json.put("since", hold.since().toString());
        hold.until().ifPresent(at -> json.put("until", at.toString()));
        return json;
    }

    public static Map<String, Object> of(HoldEffect effect) {
        var json = new LinkedHashMap<String, Object>();
        effect.already().ifPresent(hold -> json.put("already", of(hold)));
        json.put("waiting", Json.sum(effect.waiting()));
        json.put("expiring", Json.sum(effect.expiring()));
        effect.firstDeadline().ifPresent(at -> json.put("first_deadline", at.toString()));
        json.put("recent", Json.sum(effect.recent()));
        json.put("recent_of", effect.lookedAt());
        effect.recentSince().ifPresent(at -> json.put("recent_since", at.toString()));
        json.put("asked", effect.asked());
        json.put("other_psps", effect.otherPsps());
        return json;
    }
}
