// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.database.Sql;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A large backlog drained by our engine in a process with a small heap, and a tenth of it by each peer: what one of them
 * does a second does not depend on how much waits. For one thread.
 */
public final class BacklogBench {

    private static final Duration PSP_LATENCY = Duration.ofMillis(20);
    private static final int HEAP_MIB = 256;
    private static final int PEERS_SHARE = 10;
    private static final double FROM = 0.05;
    private static final double TO = 0.95;

    private BacklogBench() {}

    public static Map<String, Object> run(int payments, List<String> against, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "backlog");
        result.put("contestant", "chargeonce");
        result.put("psp_latency_ms", PSP_LATENCY.toMillis());
        result.put("payments", payments);
        result.put("heap_mib", HEAP_MIB);
        try (var ground = new Ground()) {
            Map<String, Object> ours = ours(ground, payments);
            story.println("chargeonce " + ours);
            result.putAll(ours);
            var peers = new LinkedHashMap<String, Object>();
            var round = new Round(ground, new CpuTime(ground.maintenanceUrl()), PSP_LATENCY);
            for (Contestant peer : Contestant.all()) {
                if (against.contains(peer.name())) {
                    peers.put(peer.name(), peer(round, peer, payments / PEERS_SHARE, (long) ours.get("payments_per_s")));
                    story.println(peer.name() + " " + peers.get(peer.name()));
                }
            }
            result.put("against", peers);
        }
        result.put("machine", machine);
        return result;
    }

    private static Map<String, Object> peer(Round round, Contestant peer, int payments, long ours) throws Exception {
        round.drain(peer, 2_000);
        Round.Rate rate = round.drain(peer, payments);
        var figures = new LinkedHashMap<String, Object>();
        figures.put("payments", payments);
        figures.put("payments_per_s", Math.round(rate.paymentsPerSecond()));
        figures.put("ratio", Math.round(100 * ours / rate.paymentsPerSecond()) / 100.0);
        figures.put("balanced", rate.fault().isEmpty());
        rate.fault().ifPresent(fault -> figures.put("fault", fault));
        return figures;
    }

    private static Map<String, Object> ours(Ground ground, int count) throws Exception {
        try (var plot = ground.newPlot()) {
            var payments = new Payments(count);
            payments.accept(plot);
            payments.publish(plot);
            plot.settle();
            var arena = new Arena(plot, new StubPsp(PSP_LATENCY, 0));
            Process member = Member.start(plot.pipeline(Chargeonce.TIERS), PSP_LATENCY, "-Xmx" + HEAP_MIB + "m");
            try (var reader = new OutcomeReader(arena, payments)) {
                reader.readUntil((int) (count * FROM));
                long from = System.nanoTime();
                int already = reader.settled();
                reader.readUntil((int) (count * TO));
                double rate = (reader.settled() - already) * 1e9 / (System.nanoTime() - from);
                boolean all = reader.readUntil(count) && member.isAlive();
                var figures = new LinkedHashMap<String, Object>();
                figures.put("payments_per_s", Math.round(rate));
                figures.put("balanced", all && ledgerlessFault(arena).isEmpty());
                figures.put("fault", all ? ledgerlessFault(arena) : "%d of %d settled, process %s".formatted(reader.settled(), count,
                        member.isAlive() ? "alive" : "dead"));
                return figures;
            } finally {
                member.destroyForcibly().waitFor();
            }
        }
    }

    private static final String EACH_ONCE = """
            SELECT (SELECT count(*) FROM operation_state WHERE state <> 'succeeded'),
                   (SELECT count(*) FROM payment_attempt) - (SELECT count(*) FROM operation)
            """;

    /** The process keeps no ledger, so its rows must do: every payment succeeded, by one attempt. */
    private static String ledgerlessFault(Arena arena) throws Exception {
        try (var connection = arena.plot().connect()) {
            return Sql.one(connection, EACH_ONCE, row -> row.getLong(1) == 0 && row.getLong(2) == 0 ? ""
                    : "%d not succeeded, %d attempts too many".formatted(row.getLong(1), row.getLong(2)));
        }
    }
}
