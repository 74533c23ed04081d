// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextPsp;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Routes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an operation's next attempt goes: where the rules lead, less what {@link Decision} forbids after its last
 * attempt, to a PSP that is well. What gives money back goes to the PSP that has it and nowhere else. Safe for any thread.
 */
final class Routing {

    private static final Logger LOG = LoggerFactory.getLogger(Routing.class);

    private final Routes routes;
    private final Gateways gateways;

    Routing(Routes routes, Gateways gateways) {
        if (!gateways.psps().containsAll(routes.psps())) {
            // Other processes may know the PSP, and so may this one after its next start.
            LOG.error(
                    "ALERT: CHARGEONCE_ROUTES leads to {}, but only {} are set up here; what only the others take waits until they are set up",
                    routes.psps(), gateways.psps());
        }
        this.routes = routes;
        this.gateways = gateways;
    }

    /**
     * The PSPs that may get it, first choice first; none if no PSP ever will.
     *
     * @param declined whether a PSP has declined it since it was accepted or merged, whatever it waited for after that
     */
    List<String> candidates(Operation operation, boolean declined) {
        Money money = operation.accepted().request().money();
        if (operation.capture().isPresent()) {
            return operation.capture().stream().map(Capture::psp).filter(psp -> canSay(psp, money)).toList();
        }
        NextPsp next = declined ? NextPsp.THIS : next(operation);
        return takers(operation).stream().filter(psp -> next.allows(operation.psp().equals(Optional.of(psp)))).toList();
    }

    /** Those of its routes that have not refused it and can say its amount. */
    List<String> takers(Operation operation) {
        return routes.of(operation).stream().filter(psp -> !operation.refusedBy().contains(psp))
                .filter(psp -> canSay(psp, operation.accepted().request().money())).toList();
    }

    /** Whether the counted failure that it waits after turned out to be its PSP's own trouble. */
    boolean wasPspsTrouble(Operation operation, Duration ago) {
        boolean counted = operation.state() == OperationState.SCHEDULED && operation.representAt().isEmpty()
                && operation.failureCause().flatMap(FailureCause::fromTag)
                        .filter(cause -> !Decision.counts(cause, false)).isPresent();
        return counted && gateways.wasUnwellAt(operation.psp().orElseThrow(), gateways.now().minus(ago));
    }

    /** Where it goes of these, by how they are now. */
    Gateways.Choice choose(List<String> candidates) {
        return gateways.choose(candidates);
    }

    Gateway named(String psp) {
        return gateways.named(psp);
    }

    /** A PSP takes the currencies that it lists, and amounts that it has a unit for. */
    private static boolean canSay(String psp, Money money) {
        return PspUnits.named(psp).map(units -> units.canSay(money)).orElse(true);
    }

    /** Before the first attempt any may; so too after a merge, when a person has decided that it starts again. */
    private static NextPsp next(Operation operation) {
        if (operation.state() == OperationState.ACCEPTED || operation.sequence() == 0) {
            return NextPsp.ANY;
        }
        // What is no failure's tag is a decline's code.
        return operation.failureCause().map(tag -> FailureCause.fromTag(tag).map(Decision::nextPsp).orElse(NextPsp.THIS))
                .orElse(NextPsp.ANY);
    }
}
