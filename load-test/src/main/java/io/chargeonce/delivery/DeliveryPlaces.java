// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.delivery;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface DeliveryPlaces {

    Place CHANCE = at(DeliverySchedule::chance);
}
