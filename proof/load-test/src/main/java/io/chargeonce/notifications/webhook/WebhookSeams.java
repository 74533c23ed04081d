// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.endpoints.PublicAddress;
import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Tampering;
import io.chargeonce.notifications.SendResult;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;

/** What only this package may name. */
public interface WebhookSeams {

    Seam EXCHANGE = at(HttpPost::exchange);

    Seam LOOK_UP = at(Targets::lookUp);

    PlantedChange DELIVERED_ANYHOW = PlantedChange.<SendResult>result(at(Sender::send), said -> SendResult.delivered(250));

    PlantedChange WRONG_CERTIFICATE_ENDS_IT = PlantedChange.<SendResult>result(at(HttpPost::post),
            said -> said.error().equals(Optional.of("tls_failed")) ? SendResult.of(SendResult.Result.REFUSED, "tls_failed") : said);

    PlantedChange FIRST_ADDRESS = PlantedChange.<InetAddress[]>result(at((Seam.Of2<Targets, String>) Targets::resolve),
            (call, addresses) -> Tampering.remembered(call.argument(0), addresses));

    PlantedChange ALL_ADDRESSES = PlantedChange.<Boolean>result(at(PublicAddress::is), said -> true);

    PlantedChange FRESH_ID = PlantedChange.<Map<String, String>>argument(at(HttpPost::post), 1, headers -> {
        headers.put("webhook-id", Tampering.freshId("msg_"));
        return headers;
    });
}
