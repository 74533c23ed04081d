// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface PspSeams {

    Seam RECOVERED = at(RateLimit::recovered);
    Seam TAKE_PROBE = at(PspHealth::takeProbe);
}
