// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.PspCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** An attempt, and the operation that it was made for; as read, without a lock. */
public record Attempted(Attempt attempt, Operation operation) {

    /** Empty if no attempt was made under this key at this PSP. */
    public static Optional<Attempted> find(Connection connection, String psp, PspKey key) throws SQLException {
        List<Attempt> found = AttemptTable.find(connection, List.of(key.value()));
        if (found.isEmpty() || !found.getFirst().psp().equals(psp)) {
            return Optional.empty();
        }
        Attempt attempt = found.getFirst();
        return Optional.of(new Attempted(attempt, OperationTable.find(connection, attempt.operationId()).orElseThrow()));
    }

    /** A status query about it that sends nothing. */
    public PspCall query(Gateways gateways) {
        return PspCalls.of(operation, attempt, gateways.named(attempt.psp()), false);
    }
}
