// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface IngestPlaces {

    Place START_HTTP = at(IngestService::startHttp);
}
