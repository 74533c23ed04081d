// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Place;

/** Places that only this package may name. */
public interface LoopPlaces {

    Place AWAIT_QUIET = at(PartitionWork::awaitQuiet);
    Place ADD_OFFSET = at(Offsets::add);
    Place COMPLETE_OFFSET = at(Offsets::complete);
    Place SHARE_OF = at(Workers::shareOf);
    Place ADD_PARTITIONS = at(Assignment::add);
    Place PAUSE_AND_RESUME = at(Backpressure::pauseWhatIsFullAndResumeTheRest);
}
