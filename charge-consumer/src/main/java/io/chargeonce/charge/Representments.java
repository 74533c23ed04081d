package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

final class Representments {

    Optional<Instant> grant(Connection connection, Operation operation, Outcome.Declined declined, Instant now) throws SQLException {
        return Optional.empty();
    }

    Duration deadline() {
        return Duration.ofDays(1);
    }
}
