// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface StripePlaces {

    Place CREATE = at(StripeGateway::create);
    Place IS_OLDER = at(StripeGateway::isOlder);
    Place WHILE_ASKING = at(StripeErrors::whileAsking);
    Place TO_SEND = at(StripeMoney::toSend);
    Place IS_SAID = at(StripeMoney::isSaid);
}
