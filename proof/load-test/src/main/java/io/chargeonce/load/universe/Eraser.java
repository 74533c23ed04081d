// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.personal.Erase;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.wire.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A person who erases the personal data of all that a merchant has sold, finished or not. Only the strand that has the turn may call
 * it.
 */
final class Eraser {

    private final Kernel kernel;
    private final Shop shop;
    private final Set<String> erased = new TreeSet<>();

    Eraser(Kernel kernel, Shop shop) {
        this.kernel = kernel;
        this.shop = shop;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.ERASURE, this::erase);
    }

    /** All that may be, of both merchants. */
    void erase() {
        kernel.tell("personal data erased", "a person erases personal data");
        for (String merchant : Shop.MERCHANTS) {
            Map<String, String> sold = shop.soldBy(merchant);
            try {
                new Erase(new DeadLetterQueue(SimulationHooks.database(), new Topics("payments")), true).run(merchant,
                        List.copyOf(sold.keySet()),
                        new AuditContext("eraser", Optional.of("it is simulated"), "run_e" + kernel.steps()), results -> results.stream()
                                .filter(result -> result.outcome() == Erase.Outcome.ERASED
                                        || result.outcome() == Erase.Outcome.NOTHING_LEFT)
                                .forEach(result -> erased.add(Shop.person(sold.get(result.payment())))));
            } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
                kernel.note("an erasure was not answered");
            }
        }
    }

    /** What must be nowhere any more. */
    List<String> erased() {
        return new ArrayList<>(erased);
    }
}
