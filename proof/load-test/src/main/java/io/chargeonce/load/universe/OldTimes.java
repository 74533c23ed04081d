// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A payment that was accepted more than the retention before all others, died, and is merged and charged at last. Then its key is used
 * again, and stands for it still. Only the strand that has the turn may call it.
 */
final class OldTimes {

    private static final Duration LONGER_THAN_THE_RETENTION = Duration.ofDays(401);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final int MOST_LOOKS = 120;
    /** A process that has just started has looked at all keys by then. */
    private static final Duration UNTIL_FORGOTTEN = Duration.ofSeconds(8);
    private static final String MERCHANT = Shop.MERCHANTS.getFirst();
    private static final int FIRST_SALE = 1;
    private static final String SUCCEEDED = "succeeded";

    private final Kernel kernel;
    private final Cluster cluster;
    private final List<SimulatedPsp> psps;
    private final Shop shop;
    private final PostgresView postgres;
    private final boolean there;
    private Optional<String> payment = Optional.empty();

    OldTimes(Kernel kernel, FaultScheduler scheduler, Cluster cluster, List<SimulatedPsp> psps, Shop shop, PostgresView postgres) {
        this.kernel = kernel;
        this.cluster = cluster;
        this.psps = psps;
        this.shop = shop;
        this.postgres = postgres;
        // A token does not live so long.
        this.there = scheduler.knows(Fault.OLD_LETTER) && !scheduler.knows(Fault.TOKEN);
    }

    /** Before any other payment: those would rightly be forgotten. */
    void pass() {
        if (there) {
            psps.forEach(psp -> psp.down(true));
            String id = shop.sellOne(MERCHANT);
            if (becomes(id, Set.of("parked"))) {
                kernel.tell("a payment of old times", id + " waits, and " + LONGER_THAN_THE_RETENTION.toDays() + " days pass");
                kernel.daysPass(LONGER_THAN_THE_RETENTION);
                payment = Optional.of(id).filter(old -> becomes(old, Set.of("dead", "purged", SUCCEEDED)));
            }
            psps.forEach(psp -> psp.down(false));
        }
    }

    /** At the end. Returns whether its key was used again, so that there is something to rest from. */
    boolean useAgain() {
        if (payment.filter(this::isChargedAtLast).isEmpty()) {
            return false;
        }
        kernel.tell("an old key is used again", payment.get() + " is charged, and its key is used again");
        cluster.ingest().ifPresent(kernel::kill);
        kernel.sleep(UNTIL_FORGOTTEN);
        shop.sellAgain(MERCHANT, FIRST_SALE);
        kernel.sleep(UNTIL_FORGOTTEN);
        return true;
    }

    private boolean isChargedAtLast(String id) {
        DeadLetterQueue queue = UniverseOperator.queue();
        for (int i = 0; i < MOST_LOOKS && !state(id).equals(SUCCEEDED); i++) {
            if (state(id).equals("purged")) {
                UniverseOperator.restore(queue, List.of(id));
            }
            if (state(id).equals("dead")) {
                UniverseOperator.merge(queue, DeadLetterFilter.ofIds(List.of(id)), "merger");
            }
            kernel.sleep(LOOK_EVERY);
        }
        return state(id).equals(SUCCEEDED);
    }

    private boolean becomes(String id, Set<String> states) {
        for (int i = 0; i < MOST_LOOKS && !states.contains(state(id)); i++) {
            kernel.sleep(LOOK_EVERY);
        }
        return states.contains(state(id));
    }

    private String state(String id) {
        return postgres.notSucceeded(List.of(id)).getOrDefault(id, SUCCEEDED);
    }
}
