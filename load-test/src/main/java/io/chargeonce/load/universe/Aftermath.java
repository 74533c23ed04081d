// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What must work once all faults are over: good payments are charged soon. Checked before the universe may come to rest. Only the
 * strand that has the turn may call it.
 */
final class Aftermath {

    private static final int HUNG = 10;
    private static final int OTHERS = 2;
    private static final Duration UNTIL_PLACES_ARE_TAKEN = Duration.ofMillis(600);
    /** In less than the time of one call that hangs: who has to wait for such a call's place comes too late. */
    private static final Duration SOON = Duration.ofSeconds(3);
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final Duration WITH_A_NEW_KEY = Duration.ofSeconds(30);

    private final Kernel kernel;
    private final FaultScheduler scheduler;
    private final List<Psp> psps;
    private final Shop shop;
    private final PostgresView postgres;
    private final Witness witness;

    Aftermath(Kernel kernel, FaultScheduler scheduler, List<Psp> psps, Shop shop, PostgresView postgres, Witness witness) {
        this.kernel = kernel;
        this.scheduler = scheduler;
        this.psps = psps;
        this.shop = shop;
        this.postgres = postgres;
        this.witness = witness;
    }

    /** @param recovery how long everybody may take to be at work again */
    void look(Duration recovery, Rotations rotations) {
        boolean hung = scheduler.knows(Fault.HUNG_MERCHANT);
        boolean newKeys = scheduler.knows(Fault.PSP_KEY);
        if (hung || newKeys || scheduler.knows(Fault.DATA_KEY)) {
            kernel.sleep(recovery);
        }
        if (scheduler.knows(Fault.DATA_KEY)) {
            rotations.poisonOnceMore();
        }
        if (newKeys) {
            kernel.sleep(Rotations.READ_BY_ALL);
            requireCharged("with new keys of the PSPs", sellTo(OTHERS, Shop.MERCHANTS.getFirst()), WITH_A_NEW_KEY);
        }
        if (hung) {
            hang();
        }
    }

    private void hang() {
        kernel.tell("one merchant's calls hang", "no PSP answers calls for " + Shop.MERCHANTS.getFirst());
        psps.forEach(psp -> psp.hang(payment -> shop.soldBy(Shop.MERCHANTS.getFirst()).containsKey(payment)));
        sellTo(HUNG, Shop.MERCHANTS.getFirst());
        kernel.sleep(UNTIL_PLACES_ARE_TAKEN);
        requireCharged("while another merchant's calls hang", sellTo(OTHERS, Shop.MERCHANTS.getLast()), SOON);
        psps.forEach(psp -> psp.answerAll());
        scheduler.healedNow();
    }

    private List<String> sellTo(int count, String merchant) {
        var sold = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            sold.add(shop.sellOne(merchant));
        }
        return sold;
    }

    private void requireCharged(String when, List<String> payments, Duration within) {
        long late = kernel.after(within);
        while (!postgres.haveSucceeded(payments) && kernel.now() < late) {
            kernel.sleep(LOOK_EVERY);
        }
        if (!postgres.haveSucceeded(payments)) {
            witness.saw(Invariant.OTHERS_GO_ON, "%s, of the good payments %s not all were charged within %d s"
                    .formatted(when, payments, within.toSeconds()));
        }
    }
}
