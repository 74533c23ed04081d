// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface AcceptSeams {

    Seam ACCEPT = at(KeysInFlight::accept);
}
