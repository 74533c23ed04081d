// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface StripeSeams {

    Seam CREATE = at(StripeGateway::create);
    Seam IS_OLDER = at(StripeGateway::isOlder);
    Seam WHILE_ASKING = at(StripeErrors::whileAsking);
    Seam TO_SEND = at(StripeMoney::toSend);
    Seam IS_SAID = at(StripeMoney::isSaid);
}
