// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface DeliverySeams {

    Seam CHANCE = at(DeliverySchedule::chance);
}
