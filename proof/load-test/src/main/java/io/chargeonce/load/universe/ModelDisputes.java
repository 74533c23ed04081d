// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Customers dispute what was captured. Each dispute takes its course at its PSP, and each step of it is told by webhook. */
final class ModelDisputes {

    /** Where a dispute can stand, as our row is to say it in the end. */
    enum Step {
        OPENED("opened not_taken"), TAKEN("opened taken"), RETURNED("opened returned"), WON("won returned"), LOST("lost taken");

        private final String row;

        Step(String row) {
            this.row = row;
        }

        boolean hasTheMoney() {
            return this == TAKEN || this == LOST;
        }
    }

    private static final List<List<Step>> COURSES = List.of(List.of(Step.TAKEN), List.of(Step.OPENED, Step.TAKEN),
            List.of(Step.OPENED, Step.TAKEN, Step.WON), List.of(Step.OPENED, Step.TAKEN, Step.LOST),
            List.of(Step.OPENED, Step.TAKEN, Step.RETURNED, Step.WON), List.of(Step.TAKEN, Step.RETURNED, Step.LOST));
    private static final Duration LONGEST_STEP = Duration.ofSeconds(3);

    private record Disputed(String psp, String reference, String key, Step end) {}

    private final Kernel kernel;
    private final List<SimulatedPsp> psps;
    private final PostgresView postgres;
    private final List<Disputed> all = new ArrayList<>();
    private int underWay;

    ModelDisputes(Kernel kernel, List<SimulatedPsp> psps, PostgresView postgres) {
        this.kernel = kernel;
        this.psps = psps;
        this.postgres = postgres;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.DISPUTE, () -> begin(psps.get(kernel.random().nextInt(psps.size()))));
    }

    /** One at each PSP. */
    void begin() {
        psps.forEach(this::begin);
    }

    private static final String CAPTURED = """
            SELECT psp_key FROM operation_now AS its JOIN payment_attempt USING (operation_id, sequence)
             WHERE kind = 'charge' AND its.state = 'succeeded' AND its.psp = '%s' AND psp_key NOT IN ('%s')
             ORDER BY md5(psp_key) LIMIT 1
            """;

    private void begin(SimulatedPsp psp) {
        String known = all.stream().map(Disputed::key).collect(Collectors.joining("', '"));
        postgres.text(CAPTURED.formatted(psp.name, known)).ifPresent(key -> psp.dispute(key).ifPresent(reference -> {
            List<Step> course = COURSES.get(kernel.random().nextInt(COURSES.size()));
            kernel.tell("a payment is disputed", "%s opens %s about %s: %s".formatted(psp.name, reference, key, course));
            all.add(new Disputed(psp.name, reference, key, course.getLast()));
            underWay++;
            kernel.spawn(kernel.world(), "dispute", () -> {
                course.forEach(step -> {
                    psp.disputeBecomes(reference, step);
                    kernel.sleep(kernel.between(Duration.ZERO, LONGEST_STEP));
                });
                underWay--;
            });
        }));
    }

    boolean areAtRest() {
        return underWay == 0;
    }

    private static final String ROW = "SELECT concat_ws(' ', stage, funds) FROM dispute WHERE psp = '%s' AND reference = '%s'";

    private static final String GIVEN_BACK_TWICE = """
            SELECT string_agg(operation_id, ', ') FROM operation AS charge
             WHERE kind = 'charge'
               AND (SELECT sum(taken.amount) FROM dispute AS taken WHERE taken.payment_id = operation_id AND funds = 'taken')
                 + (SELECT coalesce(sum(back.amount), 0) FROM operation_now AS back
                     WHERE back.payment_id = charge.operation_id AND back.kind = 'refund' AND back.state = 'succeeded') > amount
               AND NOT EXISTS (SELECT FROM audit_record WHERE action = 'incident.refunded_too_much'
                                  AND (resource_id = operation_id OR starts_with(resource_id, 'payment-' || operation_id || '-refund')))
            """;

    /** At the end: each dispute of a PSP is a row that says the same, and what goes back twice is an incident. */
    void judge(UniverseWitness witness) {
        for (Disputed one : all) {
            String row = postgres.text(ROW.formatted(one.psp, one.reference)).orElse("missing");
            if (!row.equals(one.end.row)) {
                witness.saw(Invariant.PSP_AGREES, "the row of dispute %s is %s, and at %s it is %s".formatted(one.reference, row, one.psp,
                        one.end.row));
            }
        }
        postgres.text(GIVEN_BACK_TWICE).ifPresent(payments -> witness.saw(Invariant.REFUNDS,
                "refunds and disputes gave back more than was captured of " + payments + ", and there is no incident"));
    }
}
