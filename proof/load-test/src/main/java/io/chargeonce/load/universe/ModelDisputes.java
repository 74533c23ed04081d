// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Customers dispute what was captured. Each dispute takes its course at its PSP, and each step of it is told by webhook. */
final class ModelDisputes {

    /** Where a dispute can stand. */
    enum Step {
        OPENED("opened", "not_taken"), TAKEN("opened", "taken"), RETURNED("opened", "returned"), WON("won", "returned"),
        LOST("lost", "taken");

        private final String stage;
        private final String funds;

        Step(String stage, String funds) {
            this.stage = stage;
            this.funds = funds;
        }

        boolean hasTheMoney() {
            return this == TAKEN || this == LOST;
        }
    }

    /** @param key of the attempt that captured it */
    record Disputed(String reference, String key, String payment, long amount, String currency) {}

    private static final List<List<Step>> COURSES = List.of(List.of(Step.TAKEN), List.of(Step.OPENED, Step.TAKEN),
            List.of(Step.OPENED, Step.TAKEN, Step.WON), List.of(Step.OPENED, Step.TAKEN, Step.LOST),
            List.of(Step.OPENED, Step.TAKEN, Step.RETURNED, Step.WON), List.of(Step.TAKEN, Step.RETURNED, Step.LOST));
    private static final Duration LONGEST_STEP = Duration.ofSeconds(3);

    private final Kernel kernel;
    private final List<SimulatedPsp> psps;
    private final PostgresView postgres;
    private final Map<Disputed, Step> all = new LinkedHashMap<>();
    private int underWay;

    ModelDisputes(Kernel kernel, List<SimulatedPsp> psps, PostgresView postgres) {
        this.kernel = kernel;
        this.psps = psps;
        this.postgres = postgres;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.DISPUTE, () -> begin(psps.get(kernel.random().nextInt(psps.size()))));
    }

    /** One at each PSP, and sometimes one of a payment that another system made. */
    void begin() {
        psps.forEach(this::begin);
        psps.forEach(psp -> psp.disputeOfAStranger().filter(disputed -> kernel.chance(0.5)).ifPresent(disputed -> begin(psp, disputed)));
    }

    private static final String CAPTURED = """
            SELECT psp_key FROM operation_now AS its JOIN payment_attempt USING (operation_id, sequence)
             WHERE kind = 'charge' AND its.state = 'succeeded' AND its.psp = '%s' AND psp_key NOT IN ('%s')
             ORDER BY md5(psp_key) LIMIT 1
            """;

    /** Of what our rows know as paid: what a bank has taken cannot be given back, as one capture of two must be. */
    private void begin(SimulatedPsp psp) {
        String known = all.keySet().stream().map(Disputed::key).collect(Collectors.joining("', '"));
        postgres.text(CAPTURED.formatted(psp.name, known)).flatMap(psp::dispute).ifPresent(disputed -> begin(psp, disputed));
    }

    private void begin(SimulatedPsp psp, Disputed disputed) {
        List<Step> course = COURSES.get(kernel.random().nextInt(COURSES.size()));
        kernel.tell("a payment is disputed", "%s opens %s: %s".formatted(psp.name, disputed, course));
        underWay++;
        kernel.spawn(kernel.world(), "dispute", () -> {
            course.forEach(step -> {
                all.put(disputed, step);
                psp.disputeBecomes(disputed.reference, step);
                kernel.sleep(kernel.between(Duration.ZERO, LONGEST_STEP));
            });
            underWay--;
        });
    }

    boolean areAtRest() {
        return underWay == 0;
    }

    /** As ledgers tell them. */
    List<JsonNode> inLedgers() {
        return all.entrySet().stream().map(one -> inLedger(one.getKey(), one.getValue())).toList();
    }

    private static JsonNode inLedger(Disputed disputed, Step stands) {
        return SimulatedPsp.JSON.valueToTree(Map.of("id", disputed.reference, "metadata", Map.of("payment_id", disputed.payment), "amount",
                disputed.amount, "currency", disputed.currency.toLowerCase(Locale.ROOT), "stage", stands.stage, "funds", stands.funds));
    }
}
