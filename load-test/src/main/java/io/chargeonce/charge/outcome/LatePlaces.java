// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** Places that only this package may name. */
public interface LatePlaces {

    Seam FAILED_AFTER_SUCCESS = at(LateAnswers::failedAfterSuccess);
    Seam SUCCEEDED = at(LateAnswers::succeeded);
}
