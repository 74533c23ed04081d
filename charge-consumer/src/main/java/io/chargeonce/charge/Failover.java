// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.call.PspCalls;
import io.chargeonce.charge.outcome.Changes;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways.Choice;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Takes an operation whose attempt has definitely failed on to the next PSP at once: in the transaction that records the
 * failure, under a new lease, with no record and no tier between. Each PSP gets it once, then it waits. Safe for any thread.
 */
final class Failover {

    /**
     * @param token of the next attempt; the caller's, so that it recognises its own when a COMMIT's answer got lost
     * @param tried where it has failed since it waited last
     */
    record FailoverRequest(UUID token, Set<String> tried) {

        FailoverRequest {
            tried = Set.copyOf(tried);
        }

        static FailoverRequest after(Set<String> tried) {
            return new FailoverRequest(UUID.randomUUID(), tried);
        }
    }

    private final Routing routing;
    private final Duration lease;

    Failover(Routing routing, Duration lease) {
        this.routing = routing;
        this.lease = lease;
    }

    /** @return the next attempt, under the caller's new lease; empty if no PSP is left that is well */
    Optional<Claim.Claimed> take(Connection connection, Operation operation, FailoverRequest ask, Changes changes) throws SQLException {
        Optional<Gateway> gateway = elsewhere(operation, ask);
        if (gateway.isEmpty()) {
            return Optional.empty();
        }
        Lease held = Lease.of(lease);
        // Later than the failure that this transaction has written.
        Instant now = now(connection);
        if (now.isAfter(operation.chargeBefore())) {
            return Optional.empty();
        }
        operation.failOver(ask.token, gateway.get().psp(), now.plus(lease));
        Attempt attempt = Attempt.inFlight(operation, PspCalls.render(operation, gateway.get()), now, now.plus(gateway.get().keyLife()));
        changes.insert(attempt);
        return Optional.of(claimed(operation, attempt, ask, held, now));
    }

    /** The answer to our COMMIT got lost and we ask again: the attempt elsewhere is ours already, for what is left of its lease. */
    Claim.Claimed repeated(Connection connection, Operation operation, FailoverRequest ask, Instant now) throws SQLException {
        Lease held = Lease.of(lease);
        return claimed(operation, AttemptTable.find(connection, List.of(operation.attemptKey().value())).getFirst(), ask, held, now);
    }

    private Claim.Claimed claimed(Operation operation, Attempt attempt, FailoverRequest ask, Lease held, Instant now) {
        PspCall call = PspCalls.of(operation, attempt, routing.named(attempt.psp()), true)
                .during(Claims.bounded(held, operation, now));
        return new Claim.Claimed(operation.id(), ask.token, call, operation.progress(), Duration.ZERO);
    }

    private Optional<Gateway> elsewhere(Operation operation, FailoverRequest ask) {
        List<String> left = routing.takers(operation).stream().filter(psp -> !ask.tried.contains(psp)).toList();
        return routing.choose(left) instanceof Choice.At at ? Optional.of(at.gateway()) : Optional.empty();
    }

    private static final String NOW = "SELECT clock_timestamp()";

    private static Instant now(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(NOW); var row = statement.executeQuery()) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }
}
