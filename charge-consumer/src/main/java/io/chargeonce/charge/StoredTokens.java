// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.payment.method.PspTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the tokens of stored payment methods before a PSP is chosen. Raw tokens cost no statement. */
final class StoredTokens {

    private record Found(String operation, String psp, PspToken token) {}

    private StoredTokens() {}

    private static final String TOKENS_OF = "SELECT operation_id, psp, customer, token FROM tokens_of(?)";

    /** For operations that this transaction has locked. A detach waits for this transaction; later transactions find no tokens. */
    static void read(Connection connection, Collection<Operation> locked) throws SQLException {
        List<Operation> stored = locked.stream().filter(operation -> operation.kind() == OperationKind.CHARGE
                && PaymentMethodId.isMeantBy(operation.accepted().request().paymentMethod())).toList();
        if (stored.isEmpty()) {
            return;
        }
        var byOperation = new HashMap<String, Map<String, PspToken>>();
        for (Found found : Sql.all(connection, TOKENS_OF, row -> new Found(row.getString(1), row.getString(2),
                new PspToken(Optional.of(row.getString(3)), row.getString(4))), stored.stream().map(Operation::id).toList())) {
            byOperation.computeIfAbsent(found.operation, unseen -> new HashMap<>()).put(found.psp, found.token);
        }
        stored.forEach(operation -> operation.readTokens(PspTokens.stored(byOperation.getOrDefault(operation.id(), Map.of()))));
    }
}
