// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextPsp;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.payment.route.Routes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where an operation's next attempt goes: to a PSP of its routes that {@link Decision} allows after the last attempt and that is
 * well. Refunds and reversals go only to the PSP that has the money. Any thread.
 */
final class Routing {

    private static final Logger LOG = LoggerFactory.getLogger(Routing.class);

    private final Routes routes;
    private final Gateways gateways;
    private final KnownPsps known;

    Routing(Routes routes, Gateways gateways, KnownPsps known) {
        if (!gateways.psps().containsAll(routes.psps())) {
            // Other processes may have the PSP, and so may this one after its next start.
            LOG.error(
                    "ALERT: CHARGEONCE_ROUTES leads to {}, but only {} are set up here. Payments that only the others take wait until "
                            + "these are set up",
                    routes.psps(), gateways.psps());
        }
        this.routes = routes;
        this.gateways = gateways;
        this.known = known;
    }

    /**
     * The PSPs that may get it, first choice first; empty if no PSP ever may.
     *
     * @param declined whether a PSP has declined it since it was accepted or merged, whatever it waited for after that
     */
    List<String> candidates(Operation operation, boolean declined) {
        Money money = operation.accepted().request().money();
        if (operation.capture().isPresent()) {
            return operation.capture().stream().map(Capture::psp).filter(psp -> known.canSay(psp, money)).toList();
        }
        NextPsp next = declined ? NextPsp.THIS : next(operation);
        return takers(operation).stream().filter(psp -> next.allows(operation.psp().equals(Optional.of(psp)))).toList();
    }

    /** The PSPs that may take it and have not refused it. */
    List<String> takers(Operation operation) {
        return routed(operation).stream().filter(psp -> !operation.refusedBy().contains(psp)).toList();
    }

    /** The PSPs of its routes and its rail that have a token for its method, a unit for its amount, and room for its texts. */
    List<String> routed(Operation operation) {
        var accepted = operation.accepted();
        return routes
                .of(accepted.merchant(), accepted.request(), operation.id(), operation.sequence() > 0 ? operation.psp() : Optional.empty())
                .stream().filter(psp -> known.canSay(psp, accepted.request().money(), operation.tokens())).toList();
    }

    /** The PSPs that may have got it before rows were lost, also under a rule of another order. */
    List<String> mayHaveIt(Operation operation) {
        var accepted = operation.accepted();
        return routes.ofRule(accepted.merchant(), accepted.request()).stream()
                .filter(psp -> known.canSay(psp, accepted.request().money(), operation.tokens())).toList();
    }

    /** Whether the counted failure after which it waits turned out to be its PSP's fault. */
    boolean wasPspsFault(Operation operation, Duration ago) {
        boolean counted = operation.state() == OperationState.SCHEDULED && operation.representAt().isEmpty()
                && operation.failureCause().flatMap(FailureCause::fromTag)
                        .filter(cause -> !Decision.counts(cause, false)).isPresent();
        return counted && gateways.wasUnwellAt(operation.psp().orElseThrow(), gateways.now().minus(ago));
    }

    /** Chooses one of these by their present health. */
    Gateways.Choice choose(List<String> candidates) {
        return gateways.choose(candidates);
    }

    Gateway named(String psp) {
        return gateways.named(psp);
    }

    /** Before the first attempt any PSP may get it. The same after a merge, because a person decided that it starts again. */
    private static NextPsp next(Operation operation) {
        if (operation.state() == OperationState.ACCEPTED || operation.sequence() == 0) {
            return NextPsp.ANY;
        }
        // A tag of no failure is a decline's code.
        return operation.failureCause().map(tag -> FailureCause.fromTag(tag).map(Decision::nextPsp).orElse(NextPsp.THIS))
                .orElse(NextPsp.ANY);
    }
}
