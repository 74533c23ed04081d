// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A restore that has lost the last claims at Stripe, and what people do about it: no process works meanwhile, and from then on the PSPs are
 * queried before each attempt. Only the strand that has the turn may call it.
 */
final class Restore {

    private static final int SALES = 3;
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(5);
    /** What was sent before it has arrived meanwhile. */
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Kernel kernel;
    private final Cluster cluster;
    private final SimulatedPsp stripe;
    private final Shop shop;
    private final PostgresView postgres;
    /** Who runs without a PSP cannot query it. What waits for a bank waits for days. */
    private boolean mayCome;

    Restore(Kernel kernel, FaultScheduler scheduler, Cluster cluster, SimulatedPsp stripe, Shop shop, PostgresView postgres) {
        this.kernel = kernel;
        this.cluster = cluster;
        this.stripe = stripe;
        this.shop = shop;
        this.postgres = postgres;
        this.mayCome = !scheduler.knows(Fault.ABSENT_PSP) && !scheduler.knows(Fault.BANK);
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.LOST_CLAIM, () -> {
            if (mayCome) {
                mayCome = false;
                restore();
            }
        });
    }

    private static final String CLAIMED = """
            SELECT string_agg(its.operation_id, ''', ''')
              FROM operation_state AS its JOIN payment_attempt AS attempt USING (operation_id, sequence)
             WHERE its.state = 'processing' AND attempt.state = 'in_flight' AND attempt.psp = 'stripe' AND sequence = 1 AND step = 1
               AND cancel_requested_at IS NULL
               AND NOT EXISTS (SELECT FROM psp_observation AS said WHERE said.psp_key = attempt.psp_key)
            """;

    private static final String LOSE = """
            SET session_replication_role = replica;
            DELETE FROM payment_attempt WHERE operation_id IN ('%1$s');
            UPDATE operation_state SET state = 'accepted', sequence = 0, psp = NULL, lease_token = NULL, resolve_at = NULL,
                                       capture_psp = NULL, capture_reference = NULL
             WHERE operation_id IN ('%1$s');
            RESET session_replication_role
            """;

    /** The scans for what is late have passed these: the alert about a restore says what to do. */
    private static final String FIND = "SELECT chargeonce.list_what_was_missed('0', 10000000)::text";

    private static final String ASK_UNTIL = """
            SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC' + interval '3 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            """;

    private void restore() {
        int before = stripe.movements().size();
        for (int i = 0; i < SALES; i++) {
            shop.sellOne(Shop.MERCHANTS.get(i % Shop.MERCHANTS.size()));
        }
        // Its answer is still under way then.
        kernel.await(() -> stripe.movements().size() > before, kernel.after(MOST_PATIENCE));
        cluster.stop();
        kernel.sleep(kernel.between(SHORTEST, LONGEST));
        Optional<String> claimed = postgres.text(CLAIMED);
        claimed.ifPresent(lost -> postgres.change(LOSE.formatted(lost)));
        kernel.tell(claimed.isPresent() ? "a restore lost claims" : "a restore lost nothing",
                "a restore has lost the claims of " + claimed.map(lost -> List.of(lost.split("', '"))).orElse(List.of()));
        postgres.text(FIND);
        cluster.goOn(postgres.text(ASK_UNTIL).orElseThrow());
    }
}
