// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.option.Range;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.simulation.Series;
import io.chargeonce.load.simulation.Trials;
import io.chargeonce.sandbox.PostgresServer;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.json.JsonMapper;

@Command(name = "simulate", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Plays the services' own code in universes of one thread and virtual time, with a model of Kafka and the real SQL: "
                + "every step follows from the seed.",
        footer = {"", "Example: a thousand universes, and one of them again.",
            "  chargeonce load simulate --seeds 1000", "  chargeonce load simulate --seed 417 --seeds 1"})
final class SimulateCommand implements Callable<Integer> {

    private static final int PROGRESS_EVERY = 100;

    @Spec
    CommandSpec spec;

    @Option(names = "--seed", paramLabel = "N", description = "The first seed; the others follow it. Default: random; it is printed first.")
    Optional<Long> seed = Optional.empty();

    @Option(names = "--seeds", defaultValue = "1000", paramLabel = "N", description = "How many universes. Default: ${DEFAULT-VALUE}.")
    int seeds;

    @Option(names = "--parallel", paramLabel = "N",
            description = "How many universes at a time, at most 64. Default: one for each processor; a seed plays the same with any "
                    + "number.")
    int parallel = Runtime.getRuntime().availableProcessors();

    @Option(names = "--plant", paramLabel = "BUG", converter = PlantTag.InSimulation.class,
            description = "Plants a bug in the services first; see 'load plants --list'.")
    Optional<Plant> plant = Optional.empty();

    @Option(names = "--every-plant", description = "Plants each bug in turn; --seeds is how many universes are played for each.")
    boolean everyPlant;

    @Option(names = "--only", split = ",", paramLabel = "BUG", converter = PlantTag.InSimulation.class,
            description = "With --every-plant: only these.")
    List<Plant> only = List.of();

    @Option(names = "--faults", split = ",", paramLabel = "FAULT", converter = FaultTag.class,
            description = "Only these faults occur; with up to six of them, all occur in each universe. Default: all of "
                    + "${COMPLETION-CANDIDATES}.",
            completionCandidates = FaultTag.All.class)
    Set<Fault> faults = EnumSet.allOf(Fault.class);

    @Option(names = "--without", split = ",", paramLabel = "FAULT", converter = FaultTag.class, description = "These faults do not occur.")
    Set<Fault> without = EnumSet.noneOf(Fault.class);

    @Option(names = "--json", description = "Print the result as the last line.")
    boolean json;

    /** 0 if every universe balanced, or every planted bug was caught; else 1. */
    @Override
    public Integer call() {
        new Range(1, 100_000_000).require(spec, "--seeds", seeds);
        new Range(1, 64).require(spec, "--parallel", parallel);
        faults.removeAll(without);
        long first = seed.orElseGet(() -> RandomGenerator.getDefault().nextLong(1, 1_000_000));
        PrintWriter out = spec.commandLine().getOut();
        out.println("seed " + first);
        out.flush();
        try (var postgres = Series.server(parallel)) {
            if (everyPlant) {
                return tryAll(postgres, first, out);
            }
            boolean sweeping = plant.map(bug -> bug.shows().sweeping()).orElse(true);
            plant.ifPresent(bug -> faults.retainAll(bug.shows().universes()));
            try (var series = new Series(postgres, plant, sweeping, faults, parallel)) {
                return play(series, first, out);
            }
        }
    }

    private int tryAll(PostgresServer postgres, long first, PrintWriter out) {
        var trials = new Trials(out, first, seeds, faults, parallel);
        boolean all = true;
        for (Plant bug : only.isEmpty() ? Arrays.stream(Plant.values()).filter(each -> each.shows().simulation()).toList() : only) {
            all &= trials.run(postgres, bug).again().isEmpty();
        }
        return all ? 0 : 1;
    }

    private int play(Series series, long first, PrintWriter out) {
        long start = System.nanoTime();
        var counted = new long[3];
        var done = new TreeMap<String, Integer>();
        Played last = series.play(first, seeds, played -> {
            counted[0]++;
            counted[1] += played.verdict().count("accepted");
            counted[2] += played.steps();
            played.done().forEach((fault, times) -> done.merge(fault, times, Integer::sum));
            if (counted[0] % PROGRESS_EVERY == 0 || counted[0] == seeds || !played.verdict().balanced()) {
                out.printf("%d of %d universes, %d payments, %d steps, %.1f universes/s%n", counted[0], seeds, counted[1], counted[2],
                        counted[0] / ((System.nanoTime() - start) / 1e9));
                out.flush();
            }
        });
        tell(last, counted[0], done, out);
        return last.verdict().balanced() ? 0 : 1;
    }

    private void tell(Played played, long universes, Map<String, Integer> done, PrintWriter out) {
        CheckVerdict verdict = played.verdict();
        if (json) {
            var line = new LinkedHashMap<String, Object>();
            line.put("universes", universes);
            line.put("seed", played.seed());
            line.put("hash", Long.toHexString(played.hash()));
            line.put("done", done);
            line.put("last", new JsonMapper().readTree(verdict.json()));
            out.println(new JsonMapper().writeValueAsString(line));
        } else {
            out.println("What was done, and where processes died:");
            done.forEach((fault, times) -> out.printf("  %6d  %s%n", times, fault));
            if (!verdict.balanced()) {
                out.println("What was done to universe " + played.seed() + ":");
                played.events().forEach(out::println);
            }
            out.println("the last:\n" + verdict.report());
            if (!verdict.balanced()) {
                out.printf("Again: chargeonce load simulate --seed %d --seeds 1%s%n", played.seed(),
                        plant.map(bug -> " --plant " + bug.tag()).orElse(""));
            }
        }
        out.flush();
    }

    /** Reads a fault by its tag. */
    private static final class FaultTag implements ITypeConverter<Fault> {

        /** The tags that there are. */
        static final class All extends ArrayList<String> {
            private static final long serialVersionUID = 1;

            All() {
                super(tags());
            }
        }

        private static List<String> tags() {
            return Arrays.stream(Fault.values()).map(Fault::tag).toList();
        }

        @Override
        public Fault convert(String tag) {
            return Arrays.stream(Fault.values()).filter(fault -> fault.tag().equals(tag)).findFirst()
                    .orElseThrow(
                            () -> new TypeConversionException(
                                    "no such fault: '%s'; there are %s".formatted(tag, String.join(", ", tags()))));
        }
    }
}
