// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.approval;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes down what a person found out about an attempt whose outcome no PSP tells. It decides nothing: it sends the resolver, which
 * asks the PSP once more and lets the finding count only if the PSP cannot tell. Any number of people may do so at once.
 */
public final class Settle {

    /**
     * @param reference the PSP's name for the money that moved; empty if none moved
     * @param evidence  how the person knows
     */
    public record Finding(String id, Optional<String> reference, String evidence) {}

    /** @param obstacles why it cannot be settled now, every reason at once; empty if it can */
    public record Look(Optional<Operation> operation, Optional<Attempt> attempt, List<String> obstacles) {}

    private final DeadLetterQueue queue;

    public Settle(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** Changes nothing. */
    public Look look(Finding finding) {
        return queue.database().inTransaction(connection -> look(connection, finding, takenByAnother(connection, finding)));
    }

    /** @return the obstacles; if there are none, the finding is written and the resolver is sent */
    public Look propose(Finding finding, AuditContext by) {
        try {
            return proposeOnce(finding, by);
        } catch (DatabaseRefused refused) {
            if (!refused.isAboutTheRow()) {
                throw refused;
            }
            // Another person has named the same reference at the same time, and now it shows where.
            return proposeOnce(finding, by);
        }
    }

    private Look proposeOnce(Finding finding, AuditContext by) {
        return queue.change(connection -> {
            List<String> taken = takenByAnother(connection, finding);
            OperationTable.lock(connection, List.of(finding.id));
            Look look = look(connection, finding, taken);
            return look.obstacles.isEmpty() ? write(connection, look, finding, by) : look;
        });
    }

    public Optional<HandSettlement> find(PspKey key) {
        return queue.database().withConnection(connection -> HandSettlementTable.find(connection, key));
    }

    private static Look write(Connection connection, Look look, Finding finding, AuditContext by) throws SQLException {
        var locked = OperationTable.lock(connection, List.of(finding.id));
        Operation operation = locked.rows().get(finding.id);
        if (!HandSettlementTable.propose(connection, operation, finding.reference, finding.evidence, by.run())) {
            return new Look(look.operation, look.attempt,
                    List.of("this attempt has been settled by hand before; see dlq why " + finding.id));
        }
        operation.askNow(locked.now());
        OperationTable.save(connection, List.of(operation));
        AuditLog.append(connection,
                List.of(AuditLog.Entry.of(by.person(), "dlq.settlement_proposed", operation, Optional.of(finding.evidence),
                        data(operation, finding, by))));
        return look;
    }

    /** The resolver has to look at these again. */
    static void sendResolver(Connection connection, List<String> ids) throws SQLException {
        var locked = OperationTable.lock(connection, ids);
        List<Operation> open = locked.rows().values().stream().filter(Operation::isWatched).toList();
        open.forEach(operation -> operation.askNow(locked.now()));
        OperationTable.save(connection, open);
    }

    private static Map<String, Object> data(Operation operation, Finding finding, AuditContext by) {
        var money = operation.accepted().request().money();
        var data = new TreeMap<String, Object>(
                Map.of("run", by.run(), "verdict", finding.reference.isPresent() ? "charged" : "not_charged",
                        "attempt", operation.attemptKey().value(), "amount", money.minorUnits(), "currency", money.currency()));
        finding.reference.ifPresent(reference -> data.put("psp_reference", reference));
        return data;
    }

    private static final String IS_LISTED =
            "SELECT EXISTS (SELECT FROM dead_letter WHERE dead_letter_id = ? AND state IN ('dead', 'purged')), clock_timestamp()";

    private static Look look(Connection connection, Finding finding, List<String> taken) throws SQLException {
        Optional<Operation> found = OperationTable.find(connection, finding.id);
        if (found.isEmpty()) {
            return new Look(found, Optional.empty(), List.of("there is no payment and no refund with this id"));
        }
        Operation operation = found.get();
        if (!operation.isWatched() || operation.state() == OperationState.PROCESSING) {
            return new Look(found, Optional.empty(), List.of("it is %s, and only what is unresolved is settled by hand%s".formatted(
                    operation.state().tag(),
                    operation.state() == OperationState.DEAD ? "; merge it, and the PSP is asked wherever money may have moved" : "")));
        }
        Optional<Attempt> known = AttemptTable.show(connection, operation.attemptKey());
        if (known.isEmpty()) {
            return new Look(found, Optional.empty(), List.of("the database has lost its attempt %s: restore its row first"
                    .formatted(operation.attemptKey())));
        }
        Attempt attempt = known.get();
        return Sql.one(connection, IS_LISTED, row -> {
            var obstacles = obstacles(operation, attempt, Sql.instant(row, 2), finding);
            if (!row.getBoolean(1)) {
                obstacles.add("it is not in the dead-letter queue: the resolver has not asked for long enough yet");
            }
            if (!asked(connection, attempt)) {
                obstacles.add("%s has not been asked since the attempt was sent; the resolver will ask".formatted(attempt.psp()));
            }
            obstacles.addAll(taken);
            return new Look(found, Optional.of(attempt), obstacles);
        }, finding.id);
    }

    private static List<String> obstacles(Operation operation, Attempt attempt, Instant now, Finding finding) {
        var obstacles = new ArrayList<String>();
        if (operation.isLeased(now)) {
            obstacles.add("the resolver asks %s right now; try again in a moment".formatted(attempt.psp()));
        }
        if (attempt.state() == AttemptState.SUCCEEDED || attempt.state() == AttemptState.FAILED_DEFINITE) {
            obstacles.add("%s has answered meanwhile, and the resolver settles it".formatted(attempt.psp()));
        }
        if (finding.reference.isPresent() && attempt.pspReference().filter(known -> !finding.reference.equals(Optional.of(known)))
                .isPresent()) {
            obstacles.add(
                    "%s itself named attempt %d %s, and you named %s: settle it under that one, or look whether yours is another payment"
                            .formatted(attempt.psp(), attempt.sequence(), attempt.pspReference().get(), finding.reference.get()));
        }
        if (finding.reference.isEmpty() && now.isBefore(attempt.keyValidUntil())) {
            obstacles.add(
                    ("%s knows the attempt's key until %s and can be asked under it, so no person needs to say before then that it did "
                            + "not charge")
                            .formatted(attempt.psp(), attempt.keyValidUntil().truncatedTo(java.time.temporal.ChronoUnit.SECONDS)));
        }
        return obstacles;
    }

    private static final String ASKED =
            "SELECT EXISTS (SELECT FROM psp_observation WHERE psp_key = ? AND source = 'query' AND observed_at >= ?)";

    private static boolean asked(Connection connection, Attempt attempt) throws SQLException {
        return Sql.one(connection, ASKED, row -> row.getBoolean(1), attempt.key().value(), attempt.sentAt());
    }

    private static final String PATIENCE = "SET LOCAL statement_timeout = '10min'";

    /**
     * By an attempt, or by a finding that waits for the resolver. No index serves this, for every charge would pay for it; so it runs
     * before any row is locked, and may take its time.
     */
    private static final String TAKEN = """
            SELECT other.operation_id, other.sequence
              FROM operation_state AS operation JOIN payment_attempt AS other ON other.psp = operation.psp AND other.psp_reference = ?
             WHERE operation.operation_id = ? AND NOT (other.operation_id = operation.operation_id AND other.sequence = operation.sequence)
             UNION ALL
            SELECT other.operation_id, other.sequence
              FROM operation_state AS operation JOIN payment_attempt AS other ON other.psp = operation.psp JOIN hand_settlement AS \
            waiting USING (psp_key)
             WHERE waiting.psp_reference = ? AND waiting.state = 'waiting'
               AND operation.operation_id = ? AND other.operation_id <> operation.operation_id
             LIMIT 1
            """;

    private static List<String> takenByAnother(Connection connection, Finding finding) throws SQLException {
        if (finding.reference.isEmpty()) {
            return List.of();
        }
        Sql.call(connection, PATIENCE);
        String reference = finding.reference.get();
        return Sql.first(connection, TAKEN,
                row -> "reference %s is that of attempt %d of %s".formatted(reference, row.getInt(2), row.getString(1)),
                reference, finding.id, reference, finding.id).stream().toList();
    }
}
