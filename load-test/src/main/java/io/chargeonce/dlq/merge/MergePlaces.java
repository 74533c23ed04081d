// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface MergePlaces {

    Place WRITE = at(MergeMoves::write);
    Place RUN_ONCE = at(RunLeader::runOnce);
}
