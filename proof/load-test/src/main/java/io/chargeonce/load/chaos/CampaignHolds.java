// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.ledger.Hold;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A person pauses PSPs, merchants and tiers, forces PSPs, and resumes everything with the next healing. While something is paused, no
 * attempt may begin there. For one thread.
 */
final class CampaignHolds {

    private static final List<String> PSPS = List.of("stripe", "adyen");
    private static final List<String> MERCHANTS = List.of("acme", "globex");
    private static final Duration FORCED_FOR = Duration.ofSeconds(30);
    private static final int MOST = 3;
    /** With others, a process may stand still between its last look at the holds and its attempt. */
    private static final Set<FaultKind> JUDGED_BESIDE = EnumSet.of(FaultKind.HOLD, FaultKind.PSP, FaultKind.KILL, FaultKind.REBALANCE,
            FaultKind.BROKER, FaultKind.KAFKA_LINK, FaultKind.KAFKA_REFUSES, FaultKind.TOPICS, FaultKind.REDELIVERY, FaultKind.LATE_TRUTH,
            FaultKind.DISPUTES);

    private final CampaignStage stage;
    private final RandomGenerator random;
    private final List<String> broken = new ArrayList<>();

    CampaignHolds(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    /** Returns the fault's name. */
    String inflict() {
        var names = new ArrayList<String>();
        asPerson(holds -> {
            for (int i = 1 + random.nextInt(MOST); i > 0; i--) {
                names.add(put(holds));
            }
        });
        stage.atHealing(() -> asPerson(holds -> holds.list().forEach(hold -> holds.resume(hold.kind(), hold.name(), by()))));
        return names.getFirst();
    }

    private String put(Holds holds) {
        Hold.Kind kind = Hold.Kind.values()[random.nextInt(Hold.Kind.values().length)];
        String name = switch (kind) {
            case PSP -> PSPS.get(random.nextInt(PSPS.size()));
            case MERCHANT -> MERCHANTS.get(random.nextInt(MERCHANTS.size()));
            case TIER -> Integer.toString(1 + random.nextInt(CampaignStage.TIERS.size()));
        };
        if (kind == Hold.Kind.PSP && random.nextInt(3) == 0) {
            holds.force(name, holds.inForce().now().plus(FORCED_FOR), by());
            return "force " + kind.tag() + " " + name;
        }
        holds.pause(kind, name, Optional.empty(), by());
        return "pause " + kind.tag() + " " + name;
    }

    private static final String SENT_ALL_THE_SAME = """
            SELECT string_agg(concat(hold.kind, ' ', name, ': attempt ', psp_key, ' at ', sent_at, ', held since ', since), '; ')
              FROM hold JOIN payment_attempt AS attempt ON sent_at > since + interval '2 seconds'
              JOIN operation_now AS its USING (operation_id)
             WHERE action = 'pause'
               AND CASE hold.kind WHEN 'psp' THEN attempt.psp = name WHEN 'merchant' THEN merchant_id = name
                                  ELSE tier::text = name AND its.state = 'processing' AND its.sequence = attempt.sequence END
            """;

    /** Before the healing. */
    void judge(Set<FaultKind> together) {
        if (!together.contains(FaultKind.HOLD) || !JUDGED_BESIDE.containsAll(together)) {
            return;
        }
        try (var database = Database.open(stage.database.url(), "postgres", "", 1)) {
            database.withConnection(
                    connection -> Optional.ofNullable(Sql.one(connection, SENT_ALL_THE_SAME, row -> row.getString(1))))
                    .ifPresent(sent -> broken.add("sent although it was paused: " + sent));
        }
    }

    /** Attempts that began two seconds after a pause or later. */
    List<String> broken() {
        return List.copyOf(broken);
    }

    private void asPerson(Consumer<Holds> work) {
        try (var database = Database.open(stage.database.url(), "postgres", "", 2)) {
            work.accept(new Holds(new DeadLetterQueue(database, new Topics("payments"))));
        }
    }

    private static AuditContext by() {
        return AuditContext.of("holder", Optional.of("because it is chaos"));
    }
}
