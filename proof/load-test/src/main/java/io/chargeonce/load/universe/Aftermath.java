// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.payment.OperationState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    private static final int WAITING = 20;
    /** All processes know by then that no PSP is well. */
    private static final Duration OUTAGE = Duration.ofSeconds(10);
    private static final Duration AFTER_AN_OUTAGE = Duration.ofSeconds(60);
    /** In the first second that a process meets a PSP which is well again: the probe, one more, and a probe that came late. */
    private static final int MOST_AT_FIRST = 3;
    private static final Duration AT_FIRST = Duration.ofSeconds(1);

    private final Kernel kernel;
    private final FaultScheduler scheduler;
    private final List<SimulatedPsp> psps;
    private final Shop shop;
    private final PostgresView postgres;
    private final UniverseWitness witness;

    Aftermath(Kernel kernel, FaultScheduler scheduler, List<SimulatedPsp> psps, Shop shop, PostgresView postgres, UniverseWitness witness) {
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
        boolean unwell = scheduler.knows(Fault.PSP_UNWELL);
        if (hung || newKeys || unwell || scheduler.knows(Fault.DATA_KEY)) {
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
        if (unwell) {
            recover();
        }
    }

    private void recover() {
        kernel.tell("an outage of all PSPs", "no PSP is well for " + OUTAGE.toSeconds() + " s");
        psps.forEach(psp -> psp.mood(SimulatedPsp.Mood.SAYS_503));
        List<String> sold = sellTo(WAITING, Shop.MERCHANTS.getFirst());
        kernel.sleep(OUTAGE);
        psps.forEach(psp -> psp.mood(SimulatedPsp.Mood.WELL));
        long well = kernel.now();
        requireCharged("after an outage", sold, AFTER_AN_OUTAGE);
        psps.forEach(psp -> requireFewAtFirst(psp.name, psp.sentSince(well)));
        scheduler.healedNow();
    }

    private void requireFewAtFirst(String psp, List<SimulatedPsp.Sent> sent) {
        sent.stream().map(SimulatedPsp.Sent::by).distinct().forEach(process -> {
            List<Long> own = sent.stream().filter(one -> one.by() == process).map(SimulatedPsp.Sent::at).toList();
            long atFirst = own.stream().filter(at -> at < own.getFirst() + AT_FIRST.toNanos() / 1_000).count();
            if (atFirst > MOST_AT_FIRST) {
                witness.saw(Invariant.BOUNDED, "%s sent %s, which was just well again, %d charges within a second"
                        .formatted(process.name, psp, atFirst));
            }
        });
    }

    private void hang() {
        kernel.tell("one merchant's calls hang", "no PSP answers calls for " + Shop.MERCHANTS.getFirst());
        psps.forEach(psp -> psp.hang(payment -> shop.soldBy(Shop.MERCHANTS.getFirst()).containsKey(payment)));
        sellTo(HUNG, Shop.MERCHANTS.getFirst());
        kernel.sleep(UNTIL_PLACES_ARE_TAKEN);
        List<String> sold = sellTo(OTHERS, Shop.MERCHANTS.getLast());
        // A parked payment waits for a PSP that was unwell before the calls hung. The call that probes it may be one that hangs.
        long late = kernel.after(SOON);
        while (!waitingForPlaces(sold).isEmpty() && kernel.now() < late) {
            kernel.sleep(LOOK_EVERY);
        }
        requireNone("while another merchant's calls hang", sold, SOON, waitingForPlaces(sold));
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
        while (!postgres.notSucceeded(payments).isEmpty() && kernel.now() < late) {
            kernel.sleep(LOOK_EVERY);
        }
        requireNone(when, payments, within, postgres.notSucceeded(payments));
    }

    private Map<String, String> waitingForPlaces(List<String> payments) {
        var waiting = new HashMap<>(postgres.notSucceeded(payments));
        waiting.values().removeIf(OperationState.PARKED.tag()::equals);
        return waiting;
    }

    private void requireNone(String when, List<String> payments, Duration within, Map<String, String> left) {
        if (!left.isEmpty()) {
            witness.saw(Invariant.OTHERS_GO_ON, "%s, of %d good payments these were not charged within %d s: %s"
                    .formatted(when, payments.size(), within.toSeconds(), left));
        }
    }
}
