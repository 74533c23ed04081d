// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many payments a second each contestant charges, at one PSP latency. For one thread. */
public final class ChargeBench {

    /** @param balanced whether our own books balanced in every run */
    public record Report(Map<String, Object> result, boolean balanced) {}

    private ChargeBench() {}

    /** Names and sentences of everybody who can be asked for; the first is ours and always takes part. */
    public static Map<String, String> contestants() {
        var about = new LinkedHashMap<String, String>();
        Contestant.all().forEach(contestant -> about.put(contestant.name(), contestant.about()));
        return about;
    }

    public static Report run(List<String> against, Duration pspLatency, int rounds, Duration runTime, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var all = Contestant.all();
        var chosen = new ArrayList<>(List.of(all.getFirst()));
        all.stream().skip(1).filter(each -> against.contains(each.name()) || against.contains("all")).forEach(chosen::add);
        try (var ground = new Ground()) {
            var contest = new Contest(ground, chosen, pspLatency, runTime, story);
            contest.run(rounds, System.nanoTime());
            return new Report(contest.result(machine), contest.oursBalanced());
        }
    }
}
