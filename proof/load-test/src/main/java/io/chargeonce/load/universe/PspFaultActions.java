// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** PSPs that refuse everything for a while, and processes without one of them. */
final class PspFaultActions {

    private final Kernel kernel;
    private final Cluster cluster;
    private final List<SimulatedPsp> psps;
    /** The keys of the refunds that failed after they were paid. */
    private final List<String> takenBack = new ArrayList<>();

    PspFaultActions(Kernel kernel, Cluster cluster, List<SimulatedPsp> psps) {
        this.kernel = kernel;
        this.cluster = cluster;
        this.psps = psps;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.PSP_UNWELL, () -> mood(SimulatedPsp.Mood.SAYS_503), Fault.PSP_THROTTLES, () -> mood(SimulatedPsp.Mood.SAYS_429),
                Fault.WRONG_ACCOUNT,
                () -> mood(kernel.chance(0.7) ? SimulatedPsp.Mood.REFUSES_STATUS_QUERIES : SimulatedPsp.Mood.REFUSES_CREDENTIALS),
                Fault.ABSENT_PSP, this::reconfigure, Fault.STALE_SEARCH, this::stopSearch);
    }

    private void stopSearch() {
        SimulatedPsp psp = psps.getFirst();
        Duration time = kernel.between(Duration.ofSeconds(5), Duration.ofMinutes(1));
        kernel.tell(psp.name + "'s search stands still", "%s's search stands still for %d ms".formatted(psp.name, time.toMillis()));
        psp.stopShowing(time);
    }

    /** Calls of one merchant are never answered for a while. */
    Map<Fault, Runnable> one(Shop shop) {
        return Map.of(Fault.HUNG_MERCHANT, () -> {
            String merchant = Shop.MERCHANTS.get(kernel.random().nextInt(Shop.MERCHANTS.size()));
            SimulatedPsp psp = one();
            Duration time = kernel.between(Duration.ofSeconds(1), Duration.ofSeconds(8));
            kernel.tell("one merchant's calls hang", "%s answers no calls for %s for %d ms".formatted(psp.name, merchant, time.toMillis()));
            psp.hang(payment -> shop.soldBy(merchant).containsKey(payment));
            kernel.spawn(kernel.world(), "heal", () -> {
                kernel.sleep(time);
                psp.answerAll();
            });
        });
    }

    private static final String GIVEN_BACK = """
            SELECT psp_key FROM operation_now AS its JOIN payment_attempt USING (operation_id, sequence)
             WHERE kind = 'refund' AND its.state = 'succeeded' AND its.psp = '%s' ORDER BY psp_key LIMIT 1
            """;

    /** One that our rows know as paid: which of two answers came first is another fault. */
    Map<Fault, Runnable> takingBack(PostgresView postgres) {
        return Map.of(Fault.FAILED_REFUND, () -> takeBack(one(), postgres));
    }

    void takeBack(PostgresView postgres) {
        psps.forEach(psp -> takeBack(psp, postgres));
    }

    private void takeBack(SimulatedPsp psp, PostgresView postgres) {
        postgres.text(GIVEN_BACK.formatted(psp.name)).filter(psp::failRefund).ifPresent(key -> {
            kernel.tell("a refund failed late", "%s says that the refund under %s has failed".formatted(psp.name, key));
            takenBack.add(key);
        });
    }

    private static final String STILL_PAID = """
            SELECT string_agg(concat(its.operation_id, ' is ', its.state), ', ')
              FROM operation_now AS its JOIN payment_attempt USING (operation_id, sequence)
             WHERE psp_key IN ('%s') AND its.state <> 'failed'
            """;

    /** At the end: of each refund that has failed the PSP has told. */
    void judge(PostgresView postgres, UniverseWitness witness) {
        postgres.text(STILL_PAID.formatted(String.join("', '", takenBack)))
                .ifPresent(paid -> witness.saw(Invariant.PSP_AGREES, paid + ", and its PSP has told that this refund failed after all"));
    }

    private SimulatedPsp one() {
        return psps.get(kernel.random().nextInt(psps.size()));
    }

    private void mood(SimulatedPsp.Mood mood) {
        SimulatedPsp psp = one();
        Duration time = kernel.between(Duration.ofSeconds(1), Duration.ofSeconds(8));
        kernel.tell(psp.name + " " + mood, psp.name + " " + mood + " for " + time.toMillis() + " ms");
        psp.mood(mood);
        kernel.spawn(kernel.world(), "heal", () -> {
            kernel.sleep(time);
            psp.mood(SimulatedPsp.Mood.WELL);
        });
    }

    /** One process starts again with other settings than the rest; later ones do until they are put back. */
    private void reconfigure() {
        List<Host> charging =
                cluster.alive().stream().filter(host -> host.name.startsWith("charge") || host.name.startsWith("retry")).toList();
        if (!charging.isEmpty()) {
            String absent = kernel.chance(0.6) ? one().name : "";
            Host host = charging.get(kernel.random().nextInt(charging.size()));
            cluster.configure(absent, true);
            kernel.tell("settings changed", host.name + " starts again " + (absent.isEmpty() ? "with other routes" : "without " + absent));
            kernel.kill(host);
        }
    }
}
