// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.call.PspCalls;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways.Choice;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Moves an operation whose attempt has definitely failed to the next PSP at once: in the transaction that records the failure, under a new
 * lease, without a record and a tier in between. Each PSP is tried once, then the operation waits. Any thread.
 */
final class Failover {

    /**
     * @param token of the next attempt; the caller makes it, so that it recognises its own claim if a COMMIT's answer was lost
     * @param tried the PSPs where it has failed since its last wait
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
    private final KnownHolds holds;
    private final AskFirst askFirst;
    private final Duration lease;

    Failover(Routing routing, KnownHolds holds, AskFirst askFirst, Duration lease) {
        this.routing = routing;
        this.holds = holds;
        this.askFirst = askFirst;
        this.lease = lease;
    }

    /** Whether the PSPs are queried before the next attempt, because a restore may have lost one. */
    boolean asksFirst(Instant now) {
        return askFirst.concerns(now);
    }

    /** Asked last, once another PSP can take the operation; false keeps it here. */
    interface Permission {

        Permission GIVEN = () -> true;

        boolean take() throws SQLException;
    }

    /**
     * @return the next attempt, under the caller's new lease; empty if no PSP is left that is well, a person has paused the payment, or
     *         PSPs must be asked first, or there is no permission
     */
    Optional<Claim.Claimed> take(Operation operation, FailoverRequest request, UnitOfWork changes, Permission permission)
            throws SQLException {
        holds.refreshIfOld(changes.connection());
        if (holds.ofMerchant(operation.accepted().merchant()).isPresent() || holds.isTierPaused(operation.tier())) {
            return Optional.empty();
        }
        StoredTokens.read(changes.connection(), List.of(operation));
        Optional<Gateway> gateway = elsewhere(operation, request);
        if (gateway.isEmpty()) {
            return Optional.empty();
        }
        Lease held = Lease.of(lease);
        // Later than the failure that this transaction recorded.
        Instant now = Database.now(changes.connection());
        if (now.isAfter(operation.chargeBefore()) || askFirst.concerns(now) || !permission.take()) {
            return Optional.empty();
        }
        operation.failOver(request.token, gateway.get().psp(), now.plus(lease));
        Attempt attempt = PspCalls.attempt(operation, gateway.get(), now, now);
        changes.insert(attempt);
        return Optional.of(claimed(operation, attempt, request, held, now));
    }

    /** The answer to our COMMIT was lost and we repeat it: the attempt at the other PSP is already ours, for the rest of its lease. */
    Claim.Claimed repeated(Operation operation, FailoverRequest request, UnitOfWork changes) throws SQLException {
        Lease held = Lease.of(lease);
        Attempt attempt = AttemptTable.find(changes.connection(), List.of(operation.attemptKey().value())).getFirst();
        return claimed(operation, attempt, request, held, changes.now());
    }

    private Claim.Claimed claimed(Operation operation, Attempt attempt, FailoverRequest request, Lease held, Instant now) {
        PspCall call = PspCalls.of(operation, attempt, routing.named(attempt.psp()), true)
                .during(Claim.bounded(held, operation, now));
        return new Claim.Claimed(operation.accepted(), request.token, call, operation.progress(), Duration.ZERO, Optional.empty());
    }

    private Optional<Gateway> elsewhere(Operation operation, FailoverRequest request) {
        List<String> left = routing.takers(operation).stream().filter(psp -> !request.tried.contains(psp)).toList();
        return routing.choose(left) instanceof Choice.At at ? Optional.of(at.gateway()) : Optional.empty();
    }
}
