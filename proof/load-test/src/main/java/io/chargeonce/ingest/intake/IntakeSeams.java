// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface IntakeSeams {

    Seam EXISTING = at(IntakeTopics::existing);
}
