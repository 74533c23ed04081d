// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Tampering;
import io.chargeonce.notifications.SendResult;

/** What only this package may name. */
public interface ReceiptSeams {

    Seam PLAIN_SOCKET = at(WatchedSockets::plain);

    PlantedChange SENT_ANYHOW = PlantedChange.<SendResult>result(at(Mailer::send), said -> SendResult.delivered(250));

    PlantedChange FRESH_ID = PlantedChange.<Receipt>argument(at(Mail::of), 0,
            receipt -> new Receipt(Tampering.freshId("rcp_"), receipt.attempt(), receipt.fence()));
}
