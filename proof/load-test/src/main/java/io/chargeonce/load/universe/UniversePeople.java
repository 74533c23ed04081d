// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.approval.Settle;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What people said, and whether it holds: what they stopped is merged only by its name, nothing is sent for what they purged, nothing that
 * may charge for what is to be canceled, nothing is presented again once they opt out, and what they invent decides nothing while a PSP may
 * still tell. Only the strand that has the turn may call it.
 */
final class UniversePeople {

    private static final Duration SHORTEST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(3);
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final int LOOKS_FOR_ONE = 40;
    private static final int LOOKS_AT_IT = 25;

    private final Kernel kernel;
    private final SimulatedPostgres simulated;
    private final PostgresView postgres;
    private final SimulatedPsp stripe;
    private final SimulatedPsp adyen;
    private final Shop shop;
    private final UniverseWitness witness;
    /** A clock that steps tells nothing about which of two things came first. */
    private final boolean judges;
    private int invented;
    /** Payments that waited when their merchant opted out, each with the number of its last attempt. */
    private final List<String> unwanted = new ArrayList<>();

    UniversePeople(Kernel kernel, FaultScheduler scheduler, List<SimulatedPsp> psps, Shop shop, SimulatedPostgres simulated,
                   UniverseWitness witness) {
        this.kernel = kernel;
        this.simulated = simulated;
        this.postgres = new PostgresView(simulated);
        this.stripe = psps.getFirst();
        this.adyen = psps.getLast();
        this.shop = shop;
        this.witness = witness;
        this.judges = !scheduler.knows(Fault.POSTGRES_CLOCK);
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.STOP, () -> kernel.spawn(kernel.world(), "a person who stops", this::stop), Fault.HASTY_FINDING, () -> {
            if (judges) {
                kernel.spawn(kernel.world(), "a hasty person", this::invent);
            }
        }, Fault.OPT_OUT, this::optOut);
    }

    private static final String WAITING = """
            SELECT string_agg(concat_ws(' ', operation_id, sequence), ''', ''')
              FROM operation_state JOIN operation USING (operation_id)
             WHERE represent_at IS NOT NULL AND merchant_id = '%s'
            """;

    private void optOut() {
        String merchant = Shop.MERCHANTS.get(kernel.random().nextInt(Shop.MERCHANTS.size()));
        Optional<String> waiting = postgres.text(WAITING.formatted(merchant));
        kernel.tell(waiting.isPresent() ? "a merchant opts out" : "a merchant opts out before it matters",
                "%s wants no card presented again, also not for '%s'".formatted(merchant, waiting.orElse("")));
        postgres.change("UPDATE merchant SET represent_declines = false WHERE merchant_id = '%s'".formatted(merchant));
        waiting.ifPresent(unwanted::add);
    }

    /** Everything that waits; and a moment later another person merges everything that is dead. */
    private void stop() {
        DeadLetterQueue queue = UniverseOperator.queue();
        try {
            var runs = new DlqRuns(queue);
            AuditContext by = UniverseOperator.by("stopper");
            runs.plan(RunKind.STOP, WaitingFilter.everything().withPresentations(), WaitingPayments.now(queue), by, RunTerms.UNATTENDED);
            long stopped = runs.unattended(by).of(MoveResult.STOPPED).count();
            kernel.tell("waits stopped", "a person stops what waits in the tiers, %d payments".formatted(stopped));
            kernel.sleep(kernel.between(SHORTEST, LONGEST));
            UniverseOperator.merge(queue, DeadLetterFilter.everything(), "merger");
        } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
            kernel.note("a stop or a merge was not answered");
        }
    }

    private static final String MERGED_ALL_THE_SAME = """
            SELECT string_agg(DISTINCT stop.resource_id, ', ')
              FROM audit_record AS stop
              JOIN audit_record AS merge ON merge.resource_id = stop.resource_id AND merge.audit_id > stop.audit_id
             WHERE stop.action = 'dlq.stopped' AND merge.action = 'dlq.merged'
            """;

    /** A person who names one of them has it charged all the same. */
    private static final String PRESENTED_ALL_THE_SAME = """
            SELECT string_agg(operation_id, ', ')
              FROM operation_state AS its
             WHERE operation_id IN (SELECT split_part(was, ' ', 1) FROM unnest(ARRAY['%1$s']) AS was)
               AND concat_ws(' ', operation_id, sequence) NOT IN ('%1$s')
               AND NOT EXISTS (SELECT FROM audit_record WHERE resource_id = its.operation_id AND action = 'dlq.merged')
            """;

    /** Before anything is merged by its id. */
    void judge() {
        unwanted.forEach(waiting -> postgres.text(PRESENTED_ALL_THE_SAME.formatted(waiting))
                .ifPresent(presented -> witness.saw(Invariant.HOLDS_HOLD,
                        "%s was presented again after its merchant had opted out".formatted(presented))));
        postgres.text(MERGED_ALL_THE_SAME).ifPresent(merged -> witness.saw(Invariant.DLQ_ALGEBRA,
                "%s was stopped by a person, and merged by one who named neither it nor that cause".formatted(merged)));
        postgres.text(TOLD_AS_FINAL).ifPresent(told -> witness.saw(Invariant.OUTCOME_AGREES,
                "%s was told as purged for good, and a status query about it is open".formatted(told)));
    }

    private static final String TOLD_AS_FINAL = """
            SELECT string_agg(operation_id, ', ') FROM operation_state
             WHERE state = 'purged' AND settled_at IS NOT NULL AND resolve_at IS NOT NULL
            """;

    /** By when its status query's lease began. */
    private static final String PURGED = """
            SELECT its.operation_id
              FROM payment_attempt JOIN operation_state AS its USING (operation_id) JOIN dead_letter USING (operation_id)
             WHERE psp_key = '%s' AND dead_letter.state = 'purged' AND lease_token IS NOT NULL
               AND resolve_at - interval '%d seconds' > changed_at
            """;

    /** By the begin of the status query's lease. At Stripe a status query charges nothing. */
    private static final String CANCELED = """
            SELECT its.operation_id
              FROM payment_attempt JOIN operation_state AS its USING (operation_id)
             WHERE psp_key = '%s' AND payment_attempt.psp = 'adyen' AND lease_token IS NOT NULL
               AND resolve_at - interval '%d seconds' > cancel_requested_at
            """;

    /** A status query that was claimed before a purge or a cancel may still be sent. */
    void sends(String key) {
        if (judges) {
            postgres.text(CANCELED.formatted(key, Cluster.LEASE.toSeconds())).ifPresent(canceled -> witness.saw(Invariant.HOLDS_HOLD,
                    "%s is to be canceled, and a later status query sent it, under %s".formatted(canceled, key)));
            postgres.text(PURGED.formatted(key, Cluster.LEASE.toSeconds())).ifPresent(purged -> witness.saw(Invariant.HOLDS_HOLD,
                    "%s was purged by a person, and a later status query sent it all the same, under %s".formatted(purged, key)));
        }
    }

    private void invent() {
        kernel.tell("a reference invented", "a person invents the reference of a charge, while adyen says 503 and stripe is away");
        adyen.mood(SimulatedPsp.Mood.SAYS_503);
        stripe.down(true);
        shop.sellOne();
        Optional<String> key = Optional.empty();
        for (int i = 0; i < LOOKS_FOR_ONE && key.isEmpty(); i++) {
            kernel.sleep(LOOK_EVERY);
            key = simulated.unresolved().stream().filter(one -> one.psp().equals(adyen.name) && !one.purged() && isKnownForLong(one.key()))
                    .filter(this::isSaid).map(SimulatedPostgres.Unresolved::key).findFirst();
        }
        key.ifPresent(this::watch);
        stripe.down(false);
        adyen.mood(SimulatedPsp.Mood.WELL);
    }

    private boolean isKnownForLong(String key) {
        return postgres.text("SELECT psp_key FROM payment_attempt WHERE psp_key = '%s' AND key_valid_until > clock_timestamp() + %s"
                .formatted(key, "interval '20 seconds'")).isPresent();
    }

    private boolean isSaid(SimulatedPostgres.Unresolved one) {
        invented++;
        var finding = new Settle.Finding(one.operation(), Optional.of("INVENTED" + invented), "it is invented");
        try {
            return new Settle(UniverseOperator.queue()).propose(finding, UniverseOperator.by("hasty")).obstacles().isEmpty();
        } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
            return false;
        }
    }

    private static final String BELIEVED = """
            SELECT operation_id FROM operation_state JOIN payment_attempt USING (operation_id, sequence)
             WHERE psp_key = '%s' AND operation_state.state = 'succeeded' AND operation_state.psp_reference = 'INVENTED%d'
            """;

    private static final String WITHDRAWN = """
            SET session_replication_role = replica;
            DELETE FROM hand_settlement WHERE psp_key = '%s' AND state = 'waiting';
            RESET session_replication_role
            """;

    /** It is as if it had never been said before the key is forgotten: from then on it would count. */
    private void watch(String key) {
        kernel.tell("a reference believed or not", "a person says that %s has charged, as INVENTED%d".formatted(key, invented));
        boolean believed = false;
        for (int i = 0; i < LOOKS_AT_IT && !believed; i++) {
            kernel.sleep(LOOK_EVERY);
            Optional<String> charged = postgres.text(BELIEVED.formatted(key, invented));
            charged.ifPresent(operation -> witness.saw(Invariant.PSP_AGREES,
                    "%s is succeeded by a reference that a person invented, while its PSP failed for the moment".formatted(operation)));
            believed = charged.isPresent();
        }
        postgres.change(WITHDRAWN.formatted(key));
    }
}
