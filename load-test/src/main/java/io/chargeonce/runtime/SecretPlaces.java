// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** Places that only this package may name. */
public interface SecretPlaces {

    Seam READ_AGAIN = at(Secret::again);
}
