// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Notice;
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

    private static final String DISPUTED = """
            SELECT psp_key FROM (
                SELECT psp_key, state, psp, operation FROM payment_attempt
                 WHERE payment_id = (SELECT payment_id FROM dispute WHERE psp = ? AND reference = ?) AND NOT failed_definite
                 UNION ALL
                SELECT psp_key, state, psp, operation FROM payment_attempt
                 WHERE payment_id = (SELECT payment_id FROM dispute WHERE psp = ? AND reference = ?) AND failed_definite
                 UNION ALL
                SELECT psp_key, state, psp, operation FROM psp_observation AS heard JOIN payment_attempt USING (psp_key)
                 WHERE heard.psp_reference COLLATE "C" = ? AND source = 'webhook') AS named
             WHERE psp = ? AND operation = 'charge' ORDER BY state = 'succeeded' DESC LIMIT 1
            """;

    /** The same for a message. One about a dispute may name the attempt by the PSP's references alone. */
    public static Optional<Attempted> find(Connection connection, String psp, Notice notice) throws SQLException {
        Optional<Attempted> byKey = find(connection, psp, notice.key());
        if (!(notice.said().orElse(null) instanceof Notice.Disputed disputed)) {
            return byKey;
        }
        if (byKey.isPresent() && byKey.get().mayHaveMade(connection, disputed.report().capture())) {
            return byKey;
        }
        Optional<PspKey> named = Sql.first(connection, DISPUTED, row -> new PspKey(row.getString(1)), psp, disputed.report().reference(),
                psp, disputed.report().reference(), disputed.report().capture(), psp);
        return named.isEmpty() ? Optional.empty() : find(connection, psp, named.get());
    }

    private static final String HEARD_AS = """
            SELECT FROM psp_observation
             WHERE psp_key = ? AND (psp_reference = ? OR source IN ('hand', 'settlement') AND outcome = 'charged')
            """;

    /** If not, the capture is another payment's, which had this one's key before. What people and reports call it is no proof. */
    private boolean mayHaveMade(Connection connection, Optional<String> capture) throws SQLException {
        return attempt.state() != AttemptState.SUCCEEDED || capture.isEmpty() || attempt.pspReference().isEmpty()
                || attempt.pspReference().equals(capture) || Sql.any(connection, HEARD_AS, attempt.key().value(), capture.get());
    }

    /** A status query about it that sends nothing. */
    public PspCall query(Gateways gateways) {
        return PspCalls.of(operation, attempt, gateways.named(attempt.psp()), false);
    }
}
