// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface MergeSeams {

    Seam WRITE = at(MergeMoves::write);
    Seam RUN_ONCE = at(RunLeader::runOnce);
}
