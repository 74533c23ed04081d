// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;
import java.io.IOException;
import java.util.Optional;

/** What only this package may name. */
public interface AdyenSeams {

    Seam IS_A_DISPUTE = at(AdyenDisputes::isOne);
    Seam SEND = at(AdyenGateway::send);
    Seam WHILE_ASKING = at((Seam.Of2<IOException, Optional<String>>) AdyenErrors::whileAsking);
}
