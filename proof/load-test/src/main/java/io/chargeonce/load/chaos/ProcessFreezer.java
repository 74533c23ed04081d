// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Freezes processes for longer than a lease, a transaction and the deadlines of their payments last. The lease is a setting, and short
 * here; a woven class shortens the limit of an idle transaction; the shortest deadline that a setting allows is a minute, so the rows
 * are changed. For one thread.
 */
final class ProcessFreezer {

    private static final Duration UNTIL_CALLS_ARE_UNDER_WAY = Duration.ofMillis(100);

    private static final Duration UNTIL_THEY_ARE_BACK = Duration.ofMillis(500);

    private final CampaignStage stage;
    private final RandomGenerator random;

    ProcessFreezer(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    private static final String DEADLINES = """
            UPDATE chargeonce.operation_state
               SET charge_before = now() + interval '1500 ms'
              FROM chargeonce.operation
             WHERE operation.operation_id = operation_state.operation_id AND kind = 'charge' AND state IN ('accepted', 'processing', \
            'scheduled', 'parked')
               AND charge_before > now() + interval '1500 ms'
            """;

    /** The services connect again, and their new connections have the short time. With the healing they have the usual one. */
    private void endTransactionsEarly() {
        stage.mark(stage.directory.resolve(Child.SHORT_TRANSACTIONS));
        stage.atHealing(stage.database::endConnections);
        stage.database.endConnections();
        Pauses.of(UNTIL_THEY_ARE_BACK);
    }

    /** Returns the fault's name. */
    String inflict() {
        List<Child> charging = stage.consumers();
        List<Child> still = random.nextBoolean() ? charging : List.of(charging.get(random.nextInt(charging.size())));
        boolean beyondDeadlines = random.nextBoolean();
        if (random.nextBoolean()) {
            endTransactionsEarly();
        }
        if (random.nextBoolean()) {
            // The calls that are under way have reached the PSP, and their answers wait for the process.
            Pauses.of(UNTIL_CALLS_ARE_UNDER_WAY);
        }
        still.forEach(Child::freeze);
        if (beyondDeadlines) {
            stage.database.sql(DEADLINES);
        }
        return (still.size() == 1 ? still.getFirst().name() : "all who charge") + " still beyond their leases"
                + (beyondDeadlines ? " and their payments' deadlines" : "");
    }
}
