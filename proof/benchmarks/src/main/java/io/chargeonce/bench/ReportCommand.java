// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import io.chargeonce.bench.measure.Results;
import io.chargeonce.bench.report.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "report", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Writes the page of figures from the latest kept results.")
final class ReportCommand implements java.util.concurrent.Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--results", defaultValue = "proof/benchmarks/results", paramLabel = "DIR",
            description = "Where the results are. Default: ${DEFAULT-VALUE}.")
    Path results;

    @Option(names = "--reasons", defaultValue = "proof/benchmarks/misses.properties", paramLabel = "FILE",
            description = "Why a goal is missed. Default: ${DEFAULT-VALUE}.")
    Path reasons;

    @Option(names = "--page", defaultValue = "docs/performance.md", paramLabel = "FILE",
            description = "What is written. Default: ${DEFAULT-VALUE}.")
    Path page;

    @Override
    public Integer call() throws IOException {
        Stream.of(results, reasons).filter(file -> !Files.isReadable(file)).findFirst().ifPresent(file -> {
            throw new ParameterException(spec.commandLine(),
                    "there is no %s: call it at the project's root, or name --results and --reasons"
                            .formatted(file));
        });
        var why = new Properties();
        try (var reader = Files.newBufferedReader(reasons)) {
            why.load(reader);
        }
        var rendered = new Page(new Results(results), why);
        Files.writeString(page, rendered.render());
        Path charts = Files.createDirectories(page.resolveSibling("charts"));
        for (var chart : rendered.charts().entrySet()) {
            Files.writeString(charts.resolve(chart.getKey()), chart.getValue());
        }
        return 0;
    }
}
