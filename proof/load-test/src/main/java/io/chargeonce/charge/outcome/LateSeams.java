// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface LateSeams {

    Seam FAILED_AFTER_SUCCESS = at(LateAnswers::failedAfterSuccess);
    Seam SUCCEEDED = at(LateAnswers::succeeded);
}
