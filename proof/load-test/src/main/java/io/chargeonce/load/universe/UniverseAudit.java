// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.SealCheck;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.Database;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.util.ArrayList;
import java.util.List;

/** Checks, when a universe is over, that the seals on its audit log hold, and that they show a change behind the triggers. */
final class UniverseAudit {

    private static final String ADD = """
            SET session_replication_role = replica;
            INSERT INTO chargeonce.audit_record (audit_id, at, actor, action, resource_type, resource_id)
            VALUES (-1, '2020-01-01', 'charge-consumer', 'operation.succeeded', 'operation', 'pay_that_never_was');
            RESET session_replication_role
            """;
    private static final String TAKE_OUT = """
            SET session_replication_role = replica;
            DELETE FROM chargeonce.audit_record WHERE audit_id = -1;
            RESET session_replication_role
            """;

    private UniverseAudit() {}

    static void look(SimulatedPostgres postgres, UniverseWitness witness) {
        findings(postgres).forEach(finding -> witness.saw(Invariant.RIGHTS_HOLD, "the audit log is not as it was sealed: " + finding));
        postgres.inEmptyingConnection(ADD);
        if (findings(postgres).isEmpty()) {
            witness.saw(Invariant.RIGHTS_HOLD,
                    "a record was put into the audit log behind its triggers, and its seals tell nothing of that");
        }
        postgres.inEmptyingConnection(TAKE_OUT);
    }

    private static List<SealCheck.Finding> findings(SimulatedPostgres postgres) {
        var found = new ArrayList<SealCheck.Finding>();
        new SealCheck(Database.over(new PostgresView(postgres).afterwards()), AuditKeys.NONE, found::add)
                .check(SealCheck.Start.AT_THE_FIRST);
        return found;
    }
}
