// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.Seam;

/** What only this package may name. */
public interface LoopSeams {

    Seam AWAIT_QUIET = at(PartitionWork::awaitQuiet);
    Seam ADD_OFFSET = at(Offsets::add);
    Seam COMPLETE_OFFSET = at(Offsets::complete);
    Seam SHARE_OF = at(Workers::shareOf);
    Seam ADD_PARTITIONS = at(Assignment::add);
    Seam PAUSE_AND_RESUME = at(Backpressure::pauseWhatIsFullAndResumeTheRest);
}
