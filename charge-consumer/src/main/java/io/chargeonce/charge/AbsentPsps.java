// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.due.RowByRow;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DueOperations;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateways;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports work for PSPs that no running process is set up for. The work waits untouched for any time, and goes on by itself once the PSP is
 * set up. Until then people see it in the dead-letter queue, in the log and in a gauge. For one thread.
 */
final class AbsentPsps {

    static final String CAUSE = FailureCause.PSP_ABSENT.tag();

    private static final Logger LOG = LoggerFactory.getLogger(AbsentPsps.class);

    private final Database database;
    private final RowByRow unasked;
    private final Gateways gateways;
    private final Topics topics;
    private final boolean ourReceipts;
    private final MeterRegistry meters;
    private volatile long waiting;
    private long reported;

    AbsentPsps(Database database, Gateways gateways, Topics topics, boolean ourReceipts, Runnable committed, MeterRegistry meters) {
        this.database = database;
        this.unasked = new RowByRow(database, "be listed", DueOperations.unasked(gateways.psps(), CAUSE), this::list, committed);
        this.gateways = gateways;
        this.topics = topics;
        this.ourReceipts = ourReceipts;
        this.meters = meters;
        Gauge.builder("chargeonce.psp.absent.waiting", this, absent -> absent.waiting)
                .description("Payments and refunds that wait for a PSP that is not set up").register(meters);
    }

    static String message(List<String> psps) {
        return "PSP %s is not set up: add its settings, and this goes on by itself".formatted(String.join(", ", psps));
    }

    private static final String COUNT = """
            SELECT count(*) FROM waiting JOIN operation_state USING (operation_id)
             WHERE list IN ('work', 'query') AND state <> 'processing' AND failure_cause = ?
            """;

    /** Lists operations that no process can ask about, up to a batch. Returns how many. */
    int runOnce() {
        LateOperations.listClaims(database, Resolver.SLOW);
        int listed = unasked.runOnce();
        waiting = database.withConnection(connection -> Sql.one(connection, COUNT, row -> row.getLong(1), CAUSE));
        if (waiting != reported) {
            reported = waiting;
            if (waiting > 0) {
                LOG.error("ALERT: {} payments and refunds wait for PSPs that are not set up here (set up are {}). None of them is lost: "
                        + "add the PSP's settings, and they go on by themselves", waiting, gateways.psps());
            }
        }
        return listed;
    }

    private int list(Connection connection, OperationTable.Locked locked) throws SQLException {
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        var byPsp = new TreeMap<String, Integer>();
        Map<String, Attempt> charged = charged(connection, locked.rows().values());
        for (Operation operation : locked.rows().values()) {
            if (charged.containsKey(operation.id())) {
                // Its PSP has answered already: no status query is needed.
                new LateAnswers(changes, operation).settleOneOf(List.of(charged.get(operation.id())));
                continue;
            }
            String psp = operation.psp().orElseThrow();
            operation.leaveUnasked(CAUSE, message(List.of(psp)), locked.now());
            changes.save(operation);
            if (operation.state() != OperationState.PURGED) {
                changes.bury(DeadLetter.of(operation, CAUSE, message(List.of(psp))));
            }
            byPsp.merge(psp, 1, Integer::sum);
        }
        changes.write();
        byPsp.forEach((psp, count) -> LOG.error(
                "ALERT: PSP {} may hold the money of {} attempts that no running process can ask about: add its settings", psp, count));
        return locked.rows().size();
    }

    private static Map<String, Attempt> charged(Connection connection, Collection<Operation> operations) throws SQLException {
        return AttemptTable.find(connection, operations.stream().map(operation -> operation.attemptKey().value()).toList()).stream()
                .filter(attempt -> attempt.state() == AttemptState.SUCCEEDED)
                .collect(Collectors.toMap(Attempt::operationId, Function.identity()));
    }
}
