// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.receipts;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Change;
import io.chargeonce.load.plant.Place;
import io.chargeonce.load.plant.Tampering;

/** Places that only this package may name. */
public interface ReceiptPlaces {

    Place PLAIN_SOCKET = at(WatchedSockets::plain);

    Change SENT_ANYHOW = Change.<Answer>result(at(Mailer::send), said -> new Answer.Sent(250));

    Change FRESH_ID = Change.<Receipt>argument(at(Mail::of), 0,
            receipt -> new Receipt(Tampering.freshId("rcp_"), receipt.attempt(), receipt.fence()));
}
