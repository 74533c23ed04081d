// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Pace;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import java.util.Optional;

/**
 * How far a run is.
 *
 * @param standings how its dead letters stood when they were frozen
 * @param results    what was done with its dead letters, all told
 * @param outcomes what became of those that re-entered
 * @param asked    what became of those about which the PSP was asked
 * @param pace     how fast it goes now
 * @param heldBy   the pause that its canary waits for
 */
public record RunProgress(DlqRun run, Phase phase, SumsByKind<MoneyStatus> standings, SumsByKind<MoveResult> results, Outcomes outcomes,
        Outcomes asked, Pace pace, Optional<String> heldBy) {

    public enum Phase {
        CANARY, CANARY_IS_AWAITED, RAMP, LAST_ARE_AWAITED
    }
}
