// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import java.nio.file.Files;
import java.io.IOException;
import io.chargeonce.load.option.Range;
import io.chargeonce.load.chaos.Chaos;
import io.chargeonce.load.chaos.FaultKind;
import io.chargeonce.load.plant.Plant;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
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

    @Option(names = "--json", description = "Print the last verdict and what was hit as one line of JSON, after a line per campaign.")
    boolean json;

    /** 0 if all campaigns balanced and no service met a bug, else 1. */
    @Override
    public Integer call() {
        new Range(1, 1_000_000).require(spec, "--campaigns", campaigns);
        new Range(1, 1_000_000).require(spec, "--first", first);
        logs.ifPresent(this::requireDirectory);
        long chosen = seed.orElseGet(() -> RandomGenerator.getDefault().nextLong(1, 1_000_000));
        var out = spec.commandLine().getOut();
        out.println("seed " + chosen);
        out.flush();
        Chaos.Result result =
                new Chaos(out, logs).run(chosen, first, campaigns, faults, plant, plant.map(Plant::settings).orElse(Map.of()));
        out.println(json ? json(chosen, result) : text(result));
        out.flush();
        return result.sound() ? 0 : 1;
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
                + result.report();
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
