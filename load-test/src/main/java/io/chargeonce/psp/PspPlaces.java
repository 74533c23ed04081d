// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** Places that only this package may name. */
public interface PspPlaces {

    Seam RECOVERED = at(RateLimit::recovered);
    Seam TAKE_PROBE = at(PspHealth::takeProbe);
}
