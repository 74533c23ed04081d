// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** Places that only this package may name. */
public interface SweepPlaces {

    Seam SUSPECTS_PASSED = at(Sweeper.Suspects::arePassed);
}
