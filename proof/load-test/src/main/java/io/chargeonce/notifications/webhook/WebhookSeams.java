// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Tampering;
import io.chargeonce.notifications.SendResult;
import java.util.Map;

/** What only this package may name. */
public interface WebhookSeams {

    Seam EXCHANGE = at(HttpPost::exchange);

    PlantedChange DELIVERED_ANYHOW = PlantedChange.<SendResult>result(at(Sender::send), said -> SendResult.delivered(250));

    PlantedChange FRESH_ID = PlantedChange.<Map<String, String>>argument(at(HttpPost::post), 1, headers -> {
        headers.put("webhook-id", Tampering.freshId("msg_"));
        return headers;
    });
}
