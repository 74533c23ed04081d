// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface ChargeSeams {

    Seam RESOLVE = at((Seam.Of2<OutcomeRecorder, OutcomeRecorder.Resolution>) OutcomeRecorder::resolve);
    Seam CONCERNS = at(AskFirst::concerns);
}
