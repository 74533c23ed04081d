// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.load.game.Reached;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.traffic.HistoryFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Campaigns one after the other on one stage, until one is not balanced or all are through. For one thread. */
public final class Chaos {

    /**
     * @param lastVerdict of the campaign that ended the run
     * @param bugs        lines of the services' logs that speak of a bug: something impossible was met
     * @param reached     the places of the planted bug that have run
     * @param objections  what contradicts a balanced verdict: of the console's witness, and of attempts in spite of a pause
     */
    public record Result(int campaigns, CheckVerdict lastVerdict, Coverage coverage, List<String> bugs, Set<String> reached,
            List<String> objections) {

        public boolean sound() {
            return lastVerdict.balanced() && bugs.isEmpty() && objections.isEmpty();
        }

        /** For people. */
        public String report() {
            return Stream.of(bugs, objections, List.of(lastVerdict.report())).flatMap(List::stream).collect(Collectors.joining("\n"));
        }
    }

    private static final int WORTH_A_REHEARSAL = 4;

    private static final int PERIODS = 3;

    private final PrintWriter out;
    private final Optional<Path> logs;
    private final int periods;

    /**
     * @param out  takes a line per campaign
     * @param logs where the services' logs stay when it is over; without it they go with everything else
     */
    public Chaos(PrintWriter out, Optional<Path> logs) {
        this(out, logs, PERIODS);
    }

    /** @param periods with faults in each campaign */
    Chaos(PrintWriter out, Optional<Path> logs, int periods) {
        this.out = out;
        this.logs = logs;
        this.periods = periods;
    }

    /** From the first campaign of a seed; see {@link #run(long, int, int, List, Optional, Map)}. */
    public Result run(long seed, int campaigns, List<FaultKind> kinds, Optional<Plant> plant, Map<String, String> settings) {
        return run(seed, 1, campaigns, kinds, plant, settings);
    }

    /**
     * @param first    the number of the first campaign, so that a single one of many can be had again
     * @param settings what the services are told beside the usual
     */
    public Result run(long seed, int first, int campaigns, List<FaultKind> kinds, Optional<Plant> plant, Map<String, String> settings) {
        var coverage = new Coverage();
        try (var stage = new CampaignStage(plant, settings, kinds);
             var history = HistoryFile.create(stage.directory.resolve("history.ndjson"))) {
            stage.start(campaigns >= WORTH_A_REHEARSAL);
            plant.flatMap(Plant::sql).ifPresent(stage.database::sql);
            for (int i = 1; true; i++) {
                var campaign = new Campaign(stage, history, seed, first - 1 + i);
                Campaign.End end = campaign.run(kinds, periods, coverage);
                CheckVerdict verdict = end.verdict();
                out.printf("%3d/%d seed %d: %s, faults for %.1f s, at rest after %.1f s, %d accepted so far, %d captures, %s%n", i,
                        campaigns,
                        campaign.ownSeed(), verdict.kind().name().toLowerCase(Locale.ROOT), end.faults().toMillis() / 1e3,
                        end.rest().toMillis() / 1e3, verdict.count("accepted"), verdict.count("psp_captures"), end.testimony());
                if (!verdict.balanced() || !end.objections().isEmpty()) {
                    end.story().forEach(event -> out.println("      " + event));
                }
                out.flush();
                List<String> bugs = stage.logs().linesWith("Bug!");
                if (i == campaigns || !verdict.balanced() || !bugs.isEmpty() || !end.objections().isEmpty()) {
                    logs.ifPresent(stage.logs()::copy);
                    return new Result(i, verdict, coverage, bugs, Reached.places(stage.directory.resolve(Child.REACHED)),
                            end.objections());
                }
            }
        }
    }
}
