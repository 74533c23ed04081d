// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface PspPlaces {

    Place RECOVERED = at(RateLimit::recovered);
    Place TAKE_PROBE = at(PspHealth::takeProbe);
}
