// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import io.chargeonce.conformance.Conformance;
import io.chargeonce.conformance.ConformanceReport;
import io.chargeonce.conformance.TriedServer;
import io.chargeonce.database.Roles;
import io.chargeonce.load.attack.AttackReport;
import io.chargeonce.load.attack.AttackTarget;
import io.chargeonce.load.attack.Storm;
import io.chargeonce.load.chaos.Chaos;
import io.chargeonce.load.chaos.FaultKind;
import io.chargeonce.load.chaos.QuietStage;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Results;
import io.chargeonce.load.record.Run;
import io.chargeonce.load.simulation.Series;
import io.chargeonce.load.simulation.Trials;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a proof consists of, in order. For one thread. */
final class Parts {

    private static final long SEED = 1;
    /** So many may a bug have to show itself. */
    private static final int UNIVERSES_OF_A_BUG = 1_000;
    private static final int CAMPAIGNS_OF_A_BUG = 8;
    /** On one stage, so that what only comes after several has its chance. */
    private static final int CAMPAIGNS = 6;
    private static final int UNIVERSES = 250;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CROWD = 4_500;
    private static final String OUTSIDE = "outside";
    private static final String ATTACKS = "load attack";
    private static final String CONFORMANCE = "conformance";

    private final PrintWriter out;
    private final int parallel = Runtime.getRuntime().availableProcessors();
    private final CampaignTrials campaignTrials;
    private final Trials trials;

    Parts(PrintWriter out) {
        this.out = out;
        this.campaignTrials = new CampaignTrials(out, SEED, CAMPAIGNS_OF_A_BUG);
        this.trials = new Trials(out, SEED, UNIVERSES_OF_A_BUG, EnumSet.allOf(Fault.class), parallel);
    }

    List<Part> all() {
        return List.of(new Part(1, Duration.ZERO, this::plants),
                new Part(0.5, Duration.ZERO, results -> endless(results, "campaigns", this::campaigns)),
                new Part(1, Duration.ZERO, results -> endless(results, "universes", this::universes)),
                new Part(1, Duration.ofMinutes(8), results -> once(results, ATTACKS, this::attacks)),
                new Part(1, Duration.ofMinutes(2), results -> once(results, CONFORMANCE, this::conformance)));
    }

    /** Each bug once: in universes, which take less time than campaigns, if it shows there. */
    private Optional<Callable<Run>> plants(Results results) {
        return Arrays.stream(Plant.values()).sorted(Comparator.comparing(plant -> !plant.shows().simulation()))
                .filter(plant -> results.find(Run.BUG, Run.nameOfBug(plant.tag(), level(plant))).isEmpty()).findFirst()
                .map(plant -> () -> tried(plant));
    }

    private static String level(Plant plant) {
        return plant.shows().simulation() ? Trials.LEVEL : CampaignTrials.LEVEL;
    }

    private Run tried(Plant plant) {
        if (!plant.shows().simulation()) {
            return campaignTrials.run(plant);
        }
        try (var postgres = Series.server(parallel)) {
            return trials.run(postgres, plant);
        }
    }

    /** One row, whose counts grow. */
    private static Optional<Callable<Run>> endless(Results results, String kind, Function<Run, Run> more) {
        String name = "--seed " + SEED;
        return Optional.of(() -> more.apply(results.find(kind, name).orElse(new Run(kind, name, Map.of()))));
    }

    private static long count(Run run, String heading) {
        return run.cell(heading).map(Long::parseLong).orElse(0L);
    }

    private Run campaigns(Run before) {
        List<FaultKind> kinds = FaultKind.usual();
        long run = count(before, "campaigns");
        Chaos.Result result =
                new Chaos(out, Optional.empty()).run(SEED, (int) run + 1, CAMPAIGNS, kinds, Optional.empty(), Map.of());
        long all = run + result.campaigns();
        List<String> never = result.coverage().missing(kinds);
        before.cell("never hit").ifPresent(then -> never.retainAll(List.of(then.split(", "))));
        var cells = new LinkedHashMap<String, String>();
        cells.put("`load chaos`", "`--seed %d --campaigns %d`".formatted(SEED, all));
        cells.put("campaigns", "" + all);
        cells.put("all balanced, and the witness agreed", result.sound() ? "yes" : "**no**");
        cells.put("accepted", "" + (count(before, "accepted") + result.lastVerdict().count("accepted")));
        cells.put("never hit", String.join(", ", never));
        var more = new Run(before.kind(), before.name(), cells);
        if (result.sound()) {
            return more;
        }
        out.println(result.report());
        return more.broken(campaignsAgain(run));
    }

    /** All on the same stage again: the last may need what the others left. */
    static String campaignsAgain(long before) {
        return "./chargeonce load chaos --seed %d --first %d --campaigns %d".formatted(SEED, before + 1, CAMPAIGNS);
    }

    private Run universes(Run before) {
        var counted = new long[] {count(before, "universes"), count(before, "payments"), count(before, "steps")};
        Played last;
        try (var postgres = Series.server(parallel);
             var series = new Series(postgres, Optional.empty(), true, EnumSet.allOf(Fault.class), parallel)) {
            last = series.play(SEED + counted[0], UNIVERSES, played -> {
                counted[0]++;
                counted[1] += played.verdict().count("accepted");
                counted[2] += played.steps();
            });
        }
        boolean balanced = last.verdict().balanced();
        var cells = new LinkedHashMap<String, String>();
        cells.put("`load simulate`", "`--seed %d --seeds %d`".formatted(SEED, counted[0]));
        cells.put("universes", "" + counted[0]);
        cells.put("payments", "" + counted[1]);
        cells.put("steps", "" + counted[2]);
        cells.put("the last", balanced ? "balanced" : "**not balanced**");
        var more = new Run(before.kind(), before.name(), cells);
        if (balanced) {
            return more;
        }
        last.events().forEach(out::println);
        out.println(last.verdict().report());
        return more.broken("./chargeonce load simulate --seed %d --seeds 1".formatted(last.seed()));
    }

    private static Optional<Callable<Run>> once(Results results, String name, Callable<Run> unit) {
        return results.find(OUTSIDE, name).isPresent() ? Optional.empty() : Optional.of(unit);
    }

    private Run attacks() throws IOException {
        AttackReport report;
        try (var stage = new QuietStage()) {
            report = new Storm(new AttackTarget(stage.ingest(), "test_acme", "test_globex", Optional.of(stage.webhooks()),
                    Optional.of(stage.webhookSecret()), Optional.of(stage.admin()), Optional.of(QuietStage.ADMIN_TOKEN),
                    Optional.of(stage.database()), Roles.ALL.stream().collect(Collectors.toMap(role -> role, role -> "")), stage.logs(),
                    PATIENCE, CROWD)).all();
        }
        if (!report.fell().isEmpty()) {
            out.println(report.table());
        }
        return outside(ATTACKS, report.held(), report.fell(), report.notTried(), "./chargeonce load attack");
    }

    private Run conformance() throws IOException {
        ConformanceReport report;
        try (var stage = new QuietStage()) {
            report = Conformance.of(new TriedServer(stage.ingest(), "test_acme", Optional.of("test_globex"), Optional.empty(),
                    TriedServer.PAYMENT, 409));
        }
        Map<String, List<String>> names = report.lines().stream().collect(Collectors.groupingBy(ConformanceReport.Line::verdict,
                Collectors.mapping(ConformanceReport.Line::name, Collectors.toList())));
        return outside(CONFORMANCE, names.getOrDefault("kept", List.of()), names.getOrDefault("broken", List.of()),
                names.getOrDefault("skipped", List.of()), "./chargeonce conformance --url http://127.0.0.1:8080 --token test_acme");
    }

    /** @param again is run beside {@code chargeonce up} */
    static Run outside(String name, List<String> held, List<String> fell, List<String> notTried, String again) {
        var all = new ArrayList<>(held);
        all.addAll(fell);
        var cells = new LinkedHashMap<String, String>();
        cells.put("from outside", "`" + name + "`");
        cells.put("tried", "" + all.size());
        cells.put("held", "" + held.size());
        cells.put("fell", fell.isEmpty() ? "none" : String.join(", ", fell));
        cells.put("not tried", notTried.isEmpty() ? "none" : String.join(", ", notTried));
        var run = new Run(OUTSIDE, name, cells);
        return fell.isEmpty() && notTried.isEmpty() ? run : run.broken(again + ", beside ./chargeonce up");
    }
}
