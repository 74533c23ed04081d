// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.settlement;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Traces;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.SettlementLines;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds attempts in the recorded lines of a PSP's settlement reports, for a PSP that cannot be asked about a payment. A line is a reason to
 * look and no proof: its attempt counts as open, until {@link BookedMoney} or a person settles it. Any thread.
 *
 * @param most how many attempts an operation may have
 */
public record BookedAttempts(Database database, String psp, int most) implements Lookup {

    @Override
    public Traces find(Operation operation) {
        var accepted = operation.accepted();
        List<PspKey> keys = IntStream.rangeClosed(1, most)
                .mapToObj(sequence -> PspKey.derive(accepted.payment(), operation.kind().tag(), accepted.ref(), psp, sequence)).toList();
        var moved = operation.kind() == OperationKind.CHARGE ? BookedLine.Moved.CAPTURED : BookedLine.Moved.GIVEN_BACK;
        List<BookedLine> lines = DatabaseRetry.call(
                () -> database.withConnection(connection -> SettlementLines.of(connection, psp, keys, moved)));
        return new Traces.Found(lines.stream().filter(line -> accepted.mayHaveMade(line.at()))
                .map(line -> trace(line, accepted.request().money())).toList());
    }

    /** A line does not say when its attempt was sent, so the PSP may have forgotten the key: nothing is sent under it again. */
    private Traces.Trace trace(BookedLine line, Money money) {
        return new Traces.Trace(psp, line.key(), line.reference().orElse(line.id()), Traces.Standing.OPEN, line.money().equals(money),
                Instant.EPOCH);
    }
}
