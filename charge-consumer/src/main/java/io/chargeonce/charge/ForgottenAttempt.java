// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Traces;
import io.chargeonce.psp.Traces.Standing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compares what PSPs have about a charge with its rows. Runs under the operation's lock. */
sealed interface ForgottenAttempt {

    /** The rows have everything that may have moved money. */
    record None() implements ForgottenAttempt {}

    /**
     * The rows have lost this attempt.
     *
     * @param sequence its number, which its key proves. All attempts before it have definitely failed: else it had not been made
     */
    record Lost(Traces.Trace trace, int sequence) implements ForgottenAttempt {}

    /** No attempt of these rows can have had its key. Only a person can tell what it is. */
    record Foreign(Traces.Trace trace) implements ForgottenAttempt {}

    /** It captured, although its row says that it definitely failed. */
    record Contradicts(Traces.Trace trace) implements ForgottenAttempt {}

    /** How many attempts may have been lost. A payment has a few for each merge. */
    int MOST_LOST = 200;

    static ForgottenAttempt among(Connection connection, Operation operation, List<Traces.Trace> traces) throws SQLException {
        Set<PspKey> known = AttemptTable.find(connection,
                traces.stream().flatMap(trace -> trace.key().stream()).map(PspKey::value).toList())
                .stream().filter(attempt -> attempt.operationId().equals(operation.id())).map(Attempt::key).collect(Collectors.toSet());
        for (Standing standing : Standing.values()) {
            for (Traces.Trace trace : traces) {
                boolean isKnown = trace.key().filter(known::contains).isPresent();
                if (trace.standing() == standing && isKnown && standing == Standing.CAPTURED) {
                    return new Contradicts(trace);
                }
                if (trace.standing() == standing && !isKnown) {
                    return sequence(operation, trace).<ForgottenAttempt>map(number -> new Lost(trace, number))
                            .orElseGet(() -> new Foreign(trace));
                }
            }
        }
        return new None();
    }

    private static Optional<Integer> sequence(Operation operation, Traces.Trace trace) {
        return trace.key().flatMap(key -> IntStream.rangeClosed(operation.sequence() + 1, operation.sequence() + MOST_LOST).boxed()
                .filter(number -> PspKey.derive(operation.accepted().payment(), operation.kind().tag(), operation.accepted().ref(),
                        trace.psp(), number).equals(key))
                .findFirst());
    }
}
