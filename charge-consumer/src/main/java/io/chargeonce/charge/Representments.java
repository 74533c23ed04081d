package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.payment.DeclineKind;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether and when a declined charge is presented again: for merchants who opted in, soft declines only, in days, and
 * within the one budget that a card and amount have over all PSPs. Runs under the operation's lock.
 */
final class Representments {

    /** Visa fines from the 16th in 30 days on; Mastercard's limit is higher. */
    private static final int MOST_IN_30_DAYS = 15;
    private static final List<Duration> PAUSES = List.of(Duration.ofDays(1), Duration.ofDays(3), Duration.ofDays(5), Duration.ofDays(7));
    /** Money comes on pay day rather than overnight. */
    private static final Duration WITHOUT_MONEY = Duration.ofDays(3);
    static final Duration DEADLINE = Duration.ofDays(1);

    private Representments() {}

    /** Takes one of the budget, if the decline is to be presented again. */
    static Optional<Instant> grant(Connection connection, Operation operation, Outcome.Declined declined, Instant now)
            throws SQLException {
        Optional<Duration> pause = operation.kind() == OperationKind.CHARGE
                ? pause(declined, operation.represented()) : Optional.empty();
        boolean granted = pause.isPresent()
                && RetryBudget.isOptedIn(connection, operation.accepted().merchant())
                && RetryBudget.take(connection, operation.accepted().request(), MOST_IN_30_DAYS);
        return granted ? pause.map(now::plus) : Optional.empty();
    }

    /** Empty where the decline forbids it, or has been presented often enough. */
    static Optional<Duration> pause(Outcome.Declined declined, int represented) {
        int most = most(declined.kind());
        if (represented >= most) {
            return Optional.empty();
        }
        boolean withoutMoney = declined.code().equals("insufficient_funds") && represented == 0;
        return Optional.of(withoutMoney ? WITHOUT_MONEY : PAUSES.get(represented));
    }

    private static int most(DeclineKind kind) {
        return switch (kind) {
            case SOFT -> PAUSES.size();
            case SOFT_ONCE -> 1;
            case HARD, ACTION_REQUIRED, ASK_FIRST -> 0;
        };
    }
}
