// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.psp.PspServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Customers dispute payments, often those that people refund at the same time. Some disputes have come to their ends before the next
 * healing, and the others come to theirs with it. For one thread.
 */
final class CampaignDisputes {

    private static final int MOST = 3;
    private static final List<List<DisputeStep>> COURSES = List.of(List.of(DisputeStep.INQUIRY),
            List.of(DisputeStep.OPENED, DisputeStep.TAKEN),
            List.of(DisputeStep.INQUIRY, DisputeStep.TAKEN, DisputeStep.WON), List.of(DisputeStep.TAKEN, DisputeStep.LOST),
            List.of(DisputeStep.OPENED, DisputeStep.TAKEN, DisputeStep.RETURNED, DisputeStep.WON),
            List.of(DisputeStep.TAKEN, DisputeStep.RETURNED, DisputeStep.LOST));

    private final CampaignStage stage;
    private final RandomGenerator random;

    CampaignDisputes(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    /** Returns the fault's name. */
    String inflict() {
        boolean late = random.nextBoolean();
        boolean disordered = random.nextBoolean();
        Map<String, PspServer> psps = new TreeMap<>(Map.of("stripe", stage.stripe, "adyen", stage.adyen));
        psps.forEach((name, psp) -> {
            if (late) {
                psp.holdWebhooks(true);
                stage.atHealing(() -> psp.holdWebhooks(false));
            }
            // To the next time, so that those that are held now come like this.
            psp.disorderWebhooks(disordered);
            dispute(name, psp);
        });
        return "payments disputed, told" + (late ? " late" : "") + (disordered ? " twice and in reverse" : late ? "" : " at once");
    }

    private void dispute(String name, PspServer psp) {
        Set<String> disputed = psp.disputes().stream().map(LedgerDispute::payment).collect(Collectors.toSet());
        List<String> captured = new ArrayList<>(stage.database.captured(name));
        captured.removeAll(disputed);
        captured.stream().limit(MOST).forEach(payment -> {
            List<DisputeStep> course = COURSES.get(random.nextInt(COURSES.size()));
            int now = 1 + random.nextInt(course.size());
            course.subList(0, now).forEach(step -> psp.dispute(payment, step));
            stage.atHealing(() -> course.subList(now, course.size()).forEach(step -> psp.dispute(payment, step)));
        });
    }
}
