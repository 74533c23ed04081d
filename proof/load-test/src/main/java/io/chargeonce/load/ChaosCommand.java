// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import java.nio.file.Files;
import java.io.IOException;
import io.chargeonce.load.option.Range;
import io.chargeonce.load.chaos.Chaos;
import io.chargeonce.load.chaos.FaultKind;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Run;
import io.chargeonce.load.record.Runs;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.json.JsonMapper;

@Command(name = "chaos", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Campaigns of faults on this machine: services are killed, frozen and cut off under load, everything heals, and "
                + "the books must balance.",
        footer = {"", "Example: the same ten campaigns as yesterday, with a bug planted that they must find.",
            "  chargeonce load chaos --seed 7 --campaigns 10 --plant timeout-as-failure"})
final class ChaosCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--seed", paramLabel = "N", description = "Decides which faults are drawn. Default: random; it is printed first.")
    Optional<Long> seed = Optional.empty();

    @Option(names = "--campaigns", defaultValue = "10", paramLabel = "K",
            description = "How many campaigns, one after the other. Default: ${DEFAULT-VALUE}.")
    int campaigns;

    @Option(names = "--first", defaultValue = "1", paramLabel = "N",
            description = "Begin with the Nth campaign of this seed. Default: ${DEFAULT-VALUE}.")
    int first;

    @Option(names = "--faults", split = ",", paramLabel = "KIND", converter = Kinds.class,
            description = "Only these kinds: kill, freeze, broker, postgres, network, psp, rebalance, redelivery, kafka-link, "
                    + "kafka-refuses, topics, configuration, pause, clock, late-truth, disputes, hold, receivers, mail, bank. "
                    + "Default: all but bank.")
    List<FaultKind> faults = FaultKind.usual();

    @Option(names = "--plant", paramLabel = "BUG", converter = PlantTag.InCampaigns.class,
            description = "Plants a bug in the services first; see 'load plants --list'.")
    Optional<Plant> plant = Optional.empty();

    @Option(names = "--logs", paramLabel = "DIR", description = "Keep the services' logs in this directory.")
    Optional<Path> logs = Optional.empty();

    @Option(names = "--runs", paramLabel = "FILE",
            description = "Put the result on record in this file and in the tables of the pages beside it; other runs stay.")
    Optional<Path> runs = Optional.empty();

    @Option(names = "--json", description = "Print the last verdict and what was hit as one line of JSON, after a line per campaign.")
    boolean json;

    /** 0 if all campaigns balanced and no service met a bug, else 1. */
    @Override
    public Integer call() throws IOException {
        new Range(1, 1_000_000).require(spec, "--campaigns", campaigns);
        new Range(1, 1_000_000).require(spec, "--first", first);
        logs.ifPresent(this::requireDirectory);
        runs.ifPresent(file -> Writable.require(spec, "--runs", file));
        long chosen = seed.orElseGet(() -> RandomGenerator.getDefault().nextLong(1, 1_000_000));
        var out = spec.commandLine().getOut();
        out.println("seed " + chosen);
        out.flush();
        Chaos.Result result =
                new Chaos(out, logs).run(chosen, first, campaigns, faults, plant, plant.map(Plant::settings).orElse(Map.of()));
        out.println(json ? json(chosen, result) : text(result));
        out.flush();
        if (runs.isPresent()) {
            Runs.in(runs.get()).keep(run(chosen, result));
        }
        return result.sound() ? 0 : 1;
    }

    private Run run(long chosen, Chaos.Result result) {
        String name = "--seed %d --campaigns %d%s%s".formatted(chosen, campaigns, first == 1 ? "" : " --first " + first,
                faults.equals(FaultKind.usual()) ? ""
                        : faults.stream().map(FaultKind::tag).collect(Collectors.joining(",", " --faults ", "")))
                + plant.map(bug -> " --plant " + bug.tag()).orElse("");
        var cells = new LinkedHashMap<>(Map.of("`load chaos`", "`" + name + "`"));
        cells.put("campaigns", String.valueOf(result.campaigns()));
        cells.put("all balanced, and the witness agreed", result.sound() ? "yes" : "**no**");
        cells.put("accepted", String.valueOf(result.lastVerdict().count("accepted")));
        cells.put("never hit", String.join(", ", result.coverage().missing(faults)));
        return Run.now("campaigns", name, cells);
    }

    private void requireDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "--logs: %s can't be made: name a folder that you may write in"
                    .formatted(directory), e);
        }
    }

    private String text(Chaos.Result result) {
        List<String> missing = result.coverage().missing(faults);
        return result.coverage() + "\n" + (missing.isEmpty() ? "everything was hit" : "never hit: " + String.join(", ", missing)) + "\n"
                + Stream.concat(result.bugs().stream(), result.objections().stream()).map(line -> line + "\n").collect(Collectors.joining())
                + result.lastVerdict().report();
    }

    private String json(long chosen, Chaos.Result result) {
        var mapper = new JsonMapper();
        var line = new LinkedHashMap<String, Object>();
        mapper.readTree(result.lastVerdict().json()).forEachEntry(line::put);
        line.put("seed", chosen);
        line.put("campaigns", result.campaigns());
        line.put("sound", result.sound());
        line.putAll(result.coverage().json());
        line.put("never_hit", result.coverage().missing(faults));
        line.put("bugs", result.bugs());
        line.put("objections", result.objections());
        return mapper.writeValueAsString(line);
    }

    static final class Kinds implements ITypeConverter<FaultKind> {
        @Override
        public FaultKind convert(String text) {
            try {
                return FaultKind.fromTag(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
