// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Seam.Of6;
import java.time.Instant;

/** What only this package may name. */
public interface RunSeams {

    Seam PLAN = at((Of6<DlqRuns, RunKind, WaitingFilter, Instant, AuditContext, RunTerms>) DlqRuns::plan);
    Seam RUN_ONCE = at(RunLeader::runOnce);
    Seam MERGE = at(MergeMoves::write);
    Seam PURGE = at(Purge::purge);
    Seam SAVE_PURGED = at(Purge::save);
}
