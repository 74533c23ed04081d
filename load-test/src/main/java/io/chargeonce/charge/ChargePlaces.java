// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface ChargePlaces {

    Place RESOLVE = at((Place.Of2<OutcomeRecorder, OutcomeRecorder.Resolution>) OutcomeRecorder::resolve);
}
