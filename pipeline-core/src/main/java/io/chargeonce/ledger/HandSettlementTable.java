// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What people found out about attempts, one row per attempt. Written and read under the operation's lock. */
public final class HandSettlementTable {

    private static final String COLUMNS = """
            psp_key, operation_id, step, psp_reference, evidence, proposed_by, run, proposed_at, state, answer, approved_by
            """;

    private HandSettlementTable() {}

    /** The database itself sets the proposer, and whether the proposal is approved. */
    private static final String PROPOSE = """
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, psp_reference, evidence, run)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (psp_key) DO UPDATE
               SET step = excluded.step, verdict = excluded.verdict, psp_reference = excluded.psp_reference, evidence = excluded.evidence,
                   run = excluded.run, state = 'waiting', answer = NULL, answered_at = NULL
             WHERE hand_settlement.state IN ('waiting', 'refused')
            """;

    /** @return false if this attempt was settled already */
    public static boolean propose(Connection connection, Operation operation, Optional<String> reference, String evidence, String run)
            throws SQLException {
        return Sql.update(connection, PROPOSE, operation.attemptKey().value(), operation.id(), operation.step(),
                reference.isPresent() ? "charged" : "not_charged", reference, ForeignText.brief(evidence), run) == 1;
    }

    private static final String TO_EXECUTE = "SELECT " + COLUMNS + """
              FROM hand_settlement WHERE psp_key = ANY (?) AND state = 'waiting' AND approved_by IS NOT NULL
            """;

    /** Approved, current findings about the open attempts of these operations, by attempt. */
    public static Map<PspKey, HandSettlement> toExecute(Connection connection, Collection<Operation> operations) throws SQLException {
        var found = new HashMap<PspKey, HandSettlement>();
        if (operations.isEmpty()) {
            return found;
        }
        Map<PspKey, Integer> steps = new HashMap<>();
        operations.forEach(operation -> steps.put(operation.attemptKey(), operation.step()));
        List<String> keys = steps.keySet().stream().map(PspKey::value).toList();
        for (HandSettlement settlement : Sql.all(connection, TO_EXECUTE, HandSettlementTable::read, keys)) {
            if (settlement.step() == steps.get(settlement.key())) {
                found.put(settlement.key(), settlement);
            }
        }
        return found;
    }

    private static final String ANSWERED = """
            UPDATE hand_settlement SET state = ?, answer = ?, answered_at = clock_timestamp()
             WHERE psp_key = ? AND state = 'waiting' AND proposed_at = ?
            """;

    /** @return false if another finding replaced it meanwhile */
    public static boolean answered(Connection connection, HandSettlement settlement, HandSettlement.State state, String answer)
            throws SQLException {
        return Sql.update(connection, ANSWERED, state.tag(), ForeignText.brief(answer), settlement.key().value(),
                settlement.proposedAt()) == 1;
    }

    private static final String FIND = "SELECT " + COLUMNS + " FROM hand_settlement WHERE psp_key = ?";

    public static Optional<HandSettlement> find(Connection connection, PspKey key) throws SQLException {
        return Sql.first(connection, FIND, HandSettlementTable::read, key.value());
    }

    /** The finding that decided this attempt, if a person's finding did. */
    public static Optional<HandSettlement> decided(Connection connection, PspKey key) throws SQLException {
        return find(connection, key).filter(settlement -> settlement.state() == HandSettlement.State.SETTLED);
    }

    private static HandSettlement read(ResultSet row) throws SQLException {
        return new HandSettlement(new PspKey(row.getString("psp_key")), row.getString("operation_id"), row.getInt("step"),
                Optional.ofNullable(row.getString("psp_reference")), row.getString("evidence"), row.getString("proposed_by"),
                row.getString("run"), Sql.instant(row, "proposed_at"),
                HandSettlement.State.fromTag(row.getString("state")), Optional.ofNullable(row.getString("answer")),
                Optional.ofNullable(row.getString("approved_by")));
    }
}
