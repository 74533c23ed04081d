package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.AttemptResult;
import io.chargeonce.payment.FailoverTable;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.FollowUp;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Routes;
import java.util.List;
import java.util.Optional;

/**
 * Where an operation's next attempt goes: where the rules lead, less what the {@link FailoverTable} forbids after its last
 * attempt, to a PSP that is well. What gives money back goes to the PSP that has it and nowhere else. Safe for any thread.
 */
final class Routing {

    private final Routes routes;
    private final Gateways gateways;

    /** @throws IllegalArgumentException if a rule leads to a PSP that is not set up */
    Routing(Routes routes, Gateways gateways) {
        if (!gateways.psps().containsAll(routes.psps())) {
            throw new IllegalArgumentException("CHARGEONCE_ROUTES: leads to %s, but only %s are set up"
                    .formatted(routes.psps(), gateways.psps()));
        }
        this.routes = routes;
        this.gateways = gateways;
    }

    /** The PSPs that may get it, first choice first; none if no PSP ever will. */
    List<String> candidates(Operation operation) {
        Money money = operation.accepted().request().money();
        if (operation.capture().isPresent()) {
            return operation.capture().stream().map(Capture::psp).filter(psp -> canSay(psp, money)).toList();
        }
        List<String> all = routes.of(operation);
        Optional<AttemptResult> last = lastResult(operation);
        return all.stream()
                .filter(psp -> !operation.refusedBy().contains(psp))
                .filter(psp -> canSay(psp, money))
                .filter(psp -> last.isEmpty() || mayFollow(last.get(), operation.psp().equals(Optional.of(psp))))
                .toList();
    }

    /** The candidate that is well; none while none of them is. */
    Optional<Gateway> firstHealthy(List<String> candidates) {
        return gateways.firstHealthy(candidates);
    }

    Gateway named(String psp) {
        return gateways.named(psp);
    }

    /** A PSP takes the currencies that it lists, and amounts that it has a unit for. */
    private static boolean canSay(String psp, Money money) {
        return PspUnits.named(psp).map(units -> units.canSay(money)).orElse(true);
    }

    private static boolean mayFollow(AttemptResult last, boolean here) {
        return FailoverTable.may(last, here ? FollowUp.NEW_ATTEMPT_HERE : FollowUp.ANOTHER_PSP).allowsAnAttempt();
    }

    /** Empty before the first attempt, and after a merge, when a person has decided that it starts anew. */
    private static Optional<AttemptResult> lastResult(Operation operation) {
        if (operation.state() == OperationState.ACCEPTED || operation.sequence() == 0) {
            return Optional.empty();
        }
        return operation.failureCause().map(tag -> FailureCause.fromTag(tag).map(AttemptResult::of)
                // A decline that waits is one that is presented again.
                .orElse(AttemptResult.SOFT_DECLINE));
    }
}
