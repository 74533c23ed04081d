// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;
import java.io.IOException;
import java.util.Optional;

/** Places that only this package may name. */
public interface AdyenPlaces {

    Place SEND = at(AdyenGateway::send);
    Place WHILE_ASKING = at((Place.Of2<IOException, Optional<String>>) AdyenErrors::whileAsking);
}
