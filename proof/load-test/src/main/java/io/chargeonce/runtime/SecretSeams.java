// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface SecretSeams {

    Seam READ_AGAIN = at(Secret::again);
}
