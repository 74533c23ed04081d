// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface LatePlaces {

    Place FAILED_AFTER_SUCCESS = at(LateAnswers::failedAfterSuccess);
    Place SUCCEEDED = at(LateAnswers::succeeded);
}
