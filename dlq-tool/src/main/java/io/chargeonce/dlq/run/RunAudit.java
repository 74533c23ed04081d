// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.ledger.AuditLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The audit record of what a person did with a run as a whole. */
final class RunAudit {

    private RunAudit() {}

    static void append(Connection connection, AuditContext by, String action, Optional<String> why) throws SQLException {
        AuditLog.append(connection, List.of(new AuditLog.Entry(by.person(), action, Optional.empty(), "dlq_run", by.run(),
                why.or(by::reason), data(connection, by))));
    }

    /** A run has stopped itself. One record for each currency of those that failed again, if any did. */
    static void aborted(Connection connection, AuditContext by, String verdict, Sum failed) throws SQLException {
        if (failed.money().isEmpty()) {
            append(connection, by, "dlq.run.aborted", Optional.of(verdict));
        }
        Map<String, Object> data = data(connection, by);
        for (String currency : failed.money().keySet()) {
            data.putAll(Map.of("currency", currency, "amount", failed.money().get(currency), "count", failed.countOf(currency)));
            AuditLog.append(connection, List.of(new AuditLog.Entry(by.person(), "dlq.run.aborted", Optional.empty(), "dlq_run", by.run(),
                    Optional.of(verdict), data)));
        }
    }

    /** Both people are named where a run of one is led after another has approved it. */
    private static Map<String, Object> data(Connection connection, AuditContext by) throws SQLException {
        var data = new TreeMap<String, Object>(Map.of("run", by.run()));
        RunRows.find(connection, by.run()).ifPresent(run -> {
            data.put("planned_by", run.plannedBy());
            run.approvedBy().ifPresent(name -> data.put("approved_by", name));
        });
        return data;
    }
}
