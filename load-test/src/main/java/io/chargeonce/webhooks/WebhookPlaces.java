// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Change;
import io.chargeonce.load.plant.Place;
import io.chargeonce.load.plant.Tampering;
import java.util.Map;

/** Places that only this package may name. */
public interface WebhookPlaces {

    Place EXCHANGE = at(HttpPost::exchange);

    Change DELIVERED_ANYHOW = Change.<Answer>result(at(Sender::send), said -> new Answer.Delivered(250));

    Change FRESH_ID = Change.<Map<String, String>>argument(at(HttpPost::post), 1, headers -> {
        headers.put("webhook-id", Tampering.freshId("msg_"));
        return headers;
    });
}
