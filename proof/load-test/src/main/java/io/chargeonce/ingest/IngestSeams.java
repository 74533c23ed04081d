// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface IngestSeams {

    Seam START_HTTP = at(IngestService::startHttp);
}
