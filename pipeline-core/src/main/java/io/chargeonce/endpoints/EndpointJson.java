// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import java.util.LinkedHashMap;
import java.util.Map;

/** Endpoints and deliveries as JSON, the same for people at a terminal and for merchants. */
public final class EndpointJson {

    private EndpointJson() {}

    public static Map<String, Object> of(EndpointTable.Endpoint endpoint) {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", endpoint.id());
        json.put("merchant", endpoint.merchant());
        json.put("url", endpoint.url());
        json.put("events", endpoint.events());
        json.put("state", endpoint.state());
        json.put("secrets", endpoint.secrets());
        json.put("added_at", endpoint.createdAt().toString());
        endpoint.failingSince().ifPresent(since -> json.put("failing_since", since.toString()));
        return json;
    }

    public static Map<String, Object> of(DeliveryBook.Redelivered again) {
        var json = new LinkedHashMap<String, Object>();
        json.put("redelivered", again.count());
        again.nextSince().ifPresent(since -> json.put("next_since", since.toString()));
        return json;
    }

    public static Map<String, Object> of(DeliveryBook.Entry entry) {
        var json = new LinkedHashMap<String, Object>();
        json.put("webhook_id", entry.webhook());
        json.put("endpoint", entry.endpoint());
        json.put("event", entry.event());
        entry.payment().ifPresent(id -> json.put("payment_id", id));
        json.put("state", entry.state());
        json.put("attempts", entry.attempts());
        entry.lastStatus().ifPresent(status -> json.put("last_status", status));
        entry.lastError().ifPresent(error -> json.put("last_error", error));
        json.put("created_at", entry.createdAt().toString());
        if (entry.state().equals("waiting")) {
            json.put("due_at", entry.dueAt().toString());
        }
        entry.endedAt().ifPresent(at -> json.put("ended_at", at.toString()));
        return json;
    }
}
