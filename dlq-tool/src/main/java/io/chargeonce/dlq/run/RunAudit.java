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
        append(connection, by, action, why.or(by::reason), data(connection, by));
    }

    private static void append(Connection connection, AuditContext by, String action, Optional<String> why, Map<String, Object> data)
            throws SQLException {
        AuditLog.append(connection, List.of(new AuditLog.Entry(by.person(), action, Optional.empty(), "dlq_run", by.run(), why, data)));
    }

    /** A run has aborted itself. One record for each currency of those that failed again, or one that says that none did. */
    static void aborted(Connection connection, AuditContext by, String verdict, Sum failed) throws SQLException {
        Map<String, Object> data = data(connection, by);
        data.put("count", 0);
        if (failed.money().isEmpty()) {
            append(connection, by, "dlq.run.aborted", Optional.of(verdict), data);
        }
        for (String currency : failed.money().keySet()) {
            data.putAll(Map.of("currency", currency, "amount", failed.money().get(currency), "count", failed.countOf(currency)));
            append(connection, by, "dlq.run.aborted", Optional.of(verdict), data);
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
