// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.story.Moment;
import java.util.LinkedHashMap;
import java.util.Map;

/** What happened to a payment. */
public final class MomentJson {

    private MomentJson() {}

    public static Map<String, Object> of(Moment moment) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", moment.at().toString());
        switch (moment) {
            case Moment.Accepted accepted -> {
                json.put("what", "accepted");
                json.put("merchant", accepted.merchant());
                json.put("idempotency_key", accepted.idempotencyKey());
            }
            case Moment.Sent sent -> {
                json.put("what", "sent");
                json.put("attempt", sent.attempt());
                json.put("generation", sent.generation());
                json.put("psp", sent.psp());
                json.put("psp_key", sent.pspKey());
                json.put("key_valid_until", sent.keyValidUntil().toString());
                json.put("sends", sent.sends());
            }
            case Moment.Heard heard -> heard(heard, json);
            case Moment.Waited waited -> {
                json.put("what", waited.parked() ? "parked" : "scheduled");
                json.put("tier", waited.tier());
                json.put("times", waited.times());
                json.put("counted", waited.counted());
                Json.putIfPresent(json, "cause", waited.cause());
                json.put("due_at", waited.due().toString());
            }
            case Moment.Died died -> {
                json.put("what", "died");
                json.put("cause", died.cause());
                Json.putIfPresent(json, "message", died.message());
                Json.putIfPresent(json, "counted", died.counted());
            }
            case Moment.GaveBack back -> {
                json.put("what", back.kind());
                json.put("operation_id", back.id());
                json.put("amount", back.money().minorUnits());
                json.put("currency", back.money().currency());
                json.put("state", back.state());
            }
            case Moment.Mailed mailed -> {
                json.put("what", "receipt");
                json.put("receipt_id", mailed.id());
                json.put("kind", mailed.kind());
                json.put("state", mailed.state());
                json.put("attempts", mailed.tries());
                Json.putIfPresent(json, "error", mailed.error());
            }
            case Moment.Notified notified -> {
                json.put("what", "webhook");
                json.put("webhook_id", notified.id());
                json.put("event", notified.event());
                json.put("endpoint", notified.endpoint());
                json.put("state", notified.state());
                json.put("attempts", notified.tries());
                Json.putIfPresent(json, "error", notified.error());
            }
            case Moment.Deed deed -> {
                json.put("what", deed.action());
                json.put("actor", deed.actor());
                Json.putIfPresent(json, "reason", deed.reason());
                Json.putIfPresent(json, "run", deed.run());
            }
        }
        return json;
    }

    private static void heard(Moment.Heard heard, Map<String, Object> json) {
        json.put("what", "heard");
        json.put("attempt", heard.attempt());
        json.put("psp", heard.psp());
        json.put("source", heard.source());
        json.put("outcome", heard.outcome());
        Json.putIfPresent(json, "cause", heard.cause());
        Json.putIfPresent(json, "detail", heard.detail());
        Json.putIfPresent(json, "psp_reference", heard.reference());
    }
}
