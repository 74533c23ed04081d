// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface SweepSeams {

    Seam SUSPECTS_PASSED = at(Sweeper.Suspects::arePassed);
}
