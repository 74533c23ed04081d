// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface SweepPlaces {

    Place SUSPECTS_PASSED = at(Sweeper.Suspects::arePassed);
}
