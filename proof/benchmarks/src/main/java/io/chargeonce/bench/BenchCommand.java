// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.charge.BacklogBench;
import io.chargeonce.bench.charge.ChargeBench;
import io.chargeonce.bench.charge.CostBench;
import io.chargeonce.bench.charge.EndToEndBench;
import io.chargeonce.bench.charge.FairnessBench;
import io.chargeonce.bench.charge.LatencyBench;
import io.chargeonce.bench.charge.PoisonBench;
import io.chargeonce.bench.charge.RecoveryBench;
import io.chargeonce.bench.deliveries.DeliveriesBench;
import io.chargeonce.bench.dlq.DlqBench;
import io.chargeonce.bench.ingest.IngestBench;
import io.chargeonce.bench.measure.Results;
import io.chargeonce.bench.relay.RelayBench;
import io.chargeonce.bench.report.PerformancePage;
import io.chargeonce.bench.tiers.TierBench;
import io.chargeonce.bench.years.YearsBench;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine;

/** {@code bench}: the benches, a method each. Their exit code is 0 if the books balanced, or what else is said there; else it is 1. */
@Command(name = "bench", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "This pipeline beside its peers and the raw limits, over one broker, one Postgres and one PSP stub of this machine.",
        footer = {"", "Example:  chargeonce bench charge --psp-latency 20ms --against all --rounds 5"})
final class BenchCommand implements Runnable {

    @Spec
    CommandSpec spec;

    static CommandLine line() {
        var line = new CommandLine(new BenchCommand());
        line.getSubcommands().values()
                .forEach(bench -> bench.getCommandSpec().usageMessage().autoWidth(true));
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say which bench: 'chargeonce bench list' names them");
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
            description = "Names the benches, and the contestants that they can be run against.")
    void list() {
        var out = spec.commandLine().getOut();
        spec.subcommands()
                .forEach((name, command) -> out.printf("%-12s %s%n", name, command.getCommandSpec().usageMessage().description()[0]));
        out.println();
        out.println("bench charge --against:");
        ChargeBench.contestants().forEach((name, about) -> out.printf("  %-26s %s%n", name, about));
        out.flush();
    }

    @Command(name = "ingest", mixinStandardHelpOptions = true,
            description = "Payments durably accepted per second over HTTP, beside a server with a commit a request and the bare tables.")
    int ingest(@Mixin BenchOptions common,
               @Option(names = "--connections", defaultValue = "64", paramLabel = "N",
                       description = "HTTP connections. Default: ${DEFAULT-VALUE}.") int connections,
               @Option(names = "--repeated", defaultValue = "0", paramLabel = "PERCENT",
                       description = "Requests that repeat an earlier key. Default: ${DEFAULT-VALUE}.") int repeated,
               @Option(names = "--rounds", defaultValue = "5", paramLabel = "N",
                       description = "How often each runs. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--connections", connections, 1, 10_000);
        common.require("--repeated", repeated, 0, 100);
        common.require("--rounds", rounds, 1, 1_000);
        return common.finishBalanced("ingest-" + connections + "-" + repeated,
                IngestBench.run(connections, repeated, rounds, common.story()));
    }

    @Command(name = "charge", mixinStandardHelpOptions = true,
            description = "Payments charged per second, from the topic to the published outcome, with a PSP stub in this process.")
    int charge(@Mixin BenchOptions common,
               @Option(names = "--psp-latency", defaultValue = "20ms", paramLabel = "TIME", converter = Millis.class,
                       description = "How long the PSP takes, as in 0, 20ms, 100ms. Default: ${DEFAULT-VALUE}.") Duration pspLatency,
               @Option(names = "--against", split = ",", defaultValue = "composite", paramLabel = "NAME",
                       description = "The contestants to run beside chargeonce, with commas between; 'all' or 'none'. "
                               + "Default: ${DEFAULT-VALUE}.") List<String> against,
               @Option(names = "--rounds", defaultValue = "5", paramLabel = "N",
                       description = "How often each runs. Default: ${DEFAULT-VALUE}.") int rounds,
               @Option(names = "--run-time", defaultValue = "6s", paramLabel = "TIME", converter = Millis.class,
                       description = "How long one run lasts, about. Default: ${DEFAULT-VALUE}.") Duration runTime)
            throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        if (!against.contains("all")) {
            common.requireKnown(against, ChargeBench.contestants().keySet());
        }
        if (runTime.isZero()) {
            throw new ParameterException(common.spec.commandLine(), "--run-time is 0, but must be longer");
        }
        var report = ChargeBench.run(against, pspLatency, rounds, runTime, common.story());
        common.finish("charge-" + pspLatency.toMillis() + "ms", report.result());
        return report.balanced() ? 0 : 1;
    }

    @Command(name = "end-to-end", mixinStandardHelpOptions = true,
            description = "Payments per second from an HTTP request to the published outcome, with the PSP behind HTTP too.")
    int endToEnd(@Mixin BenchOptions common,
                 @Option(names = "--psp-latency", defaultValue = "20ms", paramLabel = "TIME", converter = Millis.class,
                         description = "How long the PSP takes. Default: ${DEFAULT-VALUE}.") Duration pspLatency,
                 @Option(names = "--against", split = ",", defaultValue = "spring,spring-async", paramLabel = "NAME",
                         description = "The contestants to run beside chargeonce: spring, spring-async, or 'none'. "
                                 + "Default: ${DEFAULT-VALUE}.") List<String> against,
                 @Option(names = "--rounds", defaultValue = "5", paramLabel = "N",
                         description = "How often each runs. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        common.requireKnown(against, List.of("spring", "spring-async"));
        return common.finishBalanced("end-to-end", EndToEndBench.run(against, pspLatency, rounds, common.story()));
    }

    @Command(name = "latency", mixinStandardHelpOptions = true,
            description = "How long one payment at a time takes from its request to its outcome's answer, stage by stage.")
    int latency(@Mixin BenchOptions common,
                @Option(names = "--payments", defaultValue = "1000", paramLabel = "N",
                        description = "How many are measured. Default: ${DEFAULT-VALUE}.") int payments)
            throws Exception {
        common.require("--payments", payments, 10, 10_000_000);
        common.finish("latency", LatencyBench.run(payments, common.story()));
        return 0;
    }

    @Command(name = "cost", mixinStandardHelpOptions = true,
            description = "What one payment costs Postgres, statement by statement: microseconds of processor time, and bytes of WAL.")
    int cost(@Mixin BenchOptions common,
             @Option(names = "--payments", defaultValue = "20000", paramLabel = "N",
                     description = "How many are measured. Default: ${DEFAULT-VALUE}.") int payments)
            throws Exception {
        common.require("--payments", payments, 100, 10_000_000);
        common.finish("cost", CostBench.run(payments, common.story()));
        return 0;
    }

    @Command(name = "poison", mixinStandardHelpOptions = true,
            description = "The healthy payments' delay while one record in ten fails, against the delay while none does.")
    int poison(@Mixin BenchOptions common,
               @Option(names = "--rate", defaultValue = "2000", paramLabel = "N",
                       description = "Payments sent per second. Default: ${DEFAULT-VALUE}.") double rate,
               @Option(names = "--rounds", defaultValue = "5", paramLabel = "N",
                       description = "How often each runs. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--rate", rate, 1, 100_000);
        common.require("--rounds", rounds, 1, 1_000);
        return common.finishBalanced("poison", PoisonBench.run(rate, rounds, common.story()));
    }

    /** 0 if every payment of the nine was accepted and settled, else 1. */
    @Command(name = "fairness", mixinStandardHelpOptions = true,
            description = "Nine merchants' delays while a tenth floods, sends poison or has a slow PSP, against the delays while it "
                    + "does not.")
    int fairness(@Mixin BenchOptions common,
                 @Option(names = "--share", defaultValue = "10", paramLabel = "N",
                         description = "Payments per second of each merchant. Default: ${DEFAULT-VALUE}.") int share,
                 @Option(names = "--times", defaultValue = "10", paramLabel = "N",
                         description = "How many times its share the tenth merchant sends. Default: ${DEFAULT-VALUE}.") int times,
                 @Option(names = "--seconds", defaultValue = "8", paramLabel = "N",
                         description = "How long each is measured. Default: ${DEFAULT-VALUE}.") int seconds,
                 @Option(names = "--rounds", defaultValue = "3", paramLabel = "N",
                         description = "How often each is played; the figures are medians. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--share", share, 1, 10_000);
        common.require("--times", times, 1, 1_000);
        common.require("--seconds", seconds, 1, 3_600);
        common.require("--rounds", rounds, 1, 100);
        return common.finishBalanced("fairness-" + share + "-" + times, FairnessBench.run(share, times, seconds, rounds, common.story()));
    }

    /** 0 if nothing came early, else 1. */
    @Command(name = "tiers", mixinStandardHelpOptions = true,
            description = "How late records leave a retry tier at 100, 1,000 and 5,000 due per second, and what 100,000 waiting cost.")
    int tiers(@Mixin BenchOptions common) throws Exception {
        var result = TierBench.run(common.story());
        common.finish("tiers", result);
        return result.get("early").equals(0) ? 0 : 1;
    }

    /** 0 if everything was drained and the rows are right, else 1. */
    @Command(name = "backlog", mixinStandardHelpOptions = true,
            description = "A million waiting payments drained by a process with a heap of 256 MiB; peers drain a tenth of it.")
    int backlog(@Mixin BenchOptions common,
                @Option(names = "--payments", defaultValue = "1000000", paramLabel = "N",
                        description = "How many wait. Default: ${DEFAULT-VALUE}.") int payments,
                @Option(names = "--against", split = ",", defaultValue = "spring-async,parallel-consumer-256", paramLabel = "NAME",
                        description = "The contestants to run beside chargeonce. Default: ${DEFAULT-VALUE}.") List<String> against)
            throws Exception {
        common.require("--payments", payments, 1_000, 100_000_000);
        common.requireKnown(against, ChargeBench.contestants().keySet());
        return common.finishBalanced("backlog", BacklogBench.run(payments, against, common.story()));
    }

    /** 0 if the books are right at the end, else 1. */
    @Command(name = "dlq", mixinStandardHelpOptions = true,
            description = "A million dead letters listed, summed up, purged and merged by processes with a heap of 128 MiB that are "
                    + "killed at half-way.")
    int dlq(@Mixin BenchOptions common,
            @Option(names = "--letters", defaultValue = "1000000", paramLabel = "N",
                    description = "How many are dead. Default: ${DEFAULT-VALUE}.") int letters,
            @Option(names = "--launcher", defaultValue = "./chargeonce", paramLabel = "FILE",
                    description = "The program that a person calls. Default: ${DEFAULT-VALUE}.") Path launcher)
            throws Exception {
        common.require("--letters", letters, 100, 100_000_000);
        if (!Files.isExecutable(launcher)) {
            throw new ParameterException(common.spec.commandLine(),
                    "--launcher: there is no program %s: name the file chargeonce at the project's root".formatted(launcher));
        }
        return common.finishBalanced("dlq", DlqBench.run(letters, launcher, common.story()));
    }

    @Command(name = "relay", mixinStandardHelpOptions = true,
            description = "Outbox rows published per second, beside raw reading and raw producing, and the delay of a row.")
    int relay(@Mixin BenchOptions common,
              @Option(names = "--rounds", defaultValue = "5", paramLabel = "N",
                      description = "How often each runs. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--rounds", rounds, 1, 1_000);
        common.finish("relay", RelayBench.run(rounds, common.story()));
        return 0;
    }

    /** 0 if every payment of every cell was settled, else 1. */
    @Command(name = "recovery", mixinStandardHelpOptions = true,
            description = "How long after a restart of Postgres or Kafka, killed backends or a killed consumer all is as fast as before.")
    int recovery(@Mixin BenchOptions common) throws Exception {
        return common.finishBalanced("recovery", RecoveryBench.run(common.story()));
    }

    /** 0 if every webhook came to its healthy receiver, else 1. */
    @Command(name = "deliveries", mixinStandardHelpOptions = true,
            description = "Delays of webhooks to healthy receivers while one merchant's receiver in ten never answers, against the "
                    + "delays while those get nothing.")
    int deliveries(@Mixin BenchOptions common,
                   @Option(names = "--rate", defaultValue = "2000", paramLabel = "N",
                           description = "Deliveries per second to healthy receivers. Default: ${DEFAULT-VALUE}.") int rate,
                   @Option(names = "--seconds", defaultValue = "10", paramLabel = "N",
                           description = "How long each is measured. Default: ${DEFAULT-VALUE}.") int seconds,
                   @Option(names = "--rounds", defaultValue = "3", paramLabel = "N",
                           description = "How often each is played; the figures are medians. Default: ${DEFAULT-VALUE}.") int rounds)
            throws Exception {
        common.require("--rate", rate, 1, 100_000);
        common.require("--seconds", seconds, 1, 600);
        common.require("--rounds", rounds, 1, 100);
        var result = DeliveriesBench.run(rate, seconds, rounds, common.story());
        common.finish(rate == 2000 ? "deliveries" : "deliveries-" + rate, result);
        return result.get("undelivered").equals(0L) ? 0 : 1;
    }

    /** 0 if nothing costs more than the goal's factor, else 1. */
    @Command(name = "years", mixinStandardHelpOptions = true,
            description = "What statements and commands cost beside millions of settled payments and an open snapshot, against the same "
                    + "without them, and how large a settled payment is.")
    int years(@Mixin BenchOptions common,
              @Option(names = "--settled", defaultValue = "3000000", paramLabel = "N",
                      description = "Payments that were settled long ago. Default: ${DEFAULT-VALUE}.") int settled,
              @Option(names = "--letters", defaultValue = "300000", paramLabel = "N",
                      description = "Dead letters that wait, on both sides. Default: ${DEFAULT-VALUE}.") int letters,
              @Option(names = "--payments", defaultValue = "10000", paramLabel = "N",
                      description = "How many go through the services, twice. Default: ${DEFAULT-VALUE}.") int payments)
            throws Exception {
        common.require("--settled", settled, 1_000, 100_000_000);
        common.require("--letters", letters, 100, 100_000_000);
        common.require("--payments", payments, 100, 10_000_000);
        var result = YearsBench.run(settled, letters, payments, common.story());
        common.finish("years", result);
        return result.get("over").equals(List.of()) ? 0 : 1;
    }

    @Command(name = "report", mixinStandardHelpOptions = true, description = "Writes the page of figures from the latest kept results.")
    int report(@Option(names = "--results", defaultValue = "proof/benchmarks/results", paramLabel = "DIR",
            description = "Where the results are. Default: ${DEFAULT-VALUE}.") Path results,
               @Option(names = "--reasons", defaultValue = "proof/benchmarks/misses.properties", paramLabel = "FILE",
                       description = "Why a goal is missed. Default: ${DEFAULT-VALUE}.") Path reasons,
               @Option(names = "--page", defaultValue = "docs/performance.md", paramLabel = "FILE",
                       description = "What is written. Default: ${DEFAULT-VALUE}.") Path page)
            throws IOException {
        Stream.of(results, reasons).filter(file -> !Files.isReadable(file)).findFirst().ifPresent(file -> {
            throw new ParameterException(spec.commandLine(),
                    "there is no %s: call it at the project's root, or name --results and --reasons".formatted(file));
        });
        var why = new Properties();
        try (var reader = Files.newBufferedReader(reasons)) {
            why.load(reader);
        }
        var rendered = new PerformancePage(new Results(results), why);
        Files.writeString(page, rendered.render());
        Path charts = Files.createDirectories(page.resolveSibling("charts"));
        for (var chart : rendered.charts().entrySet()) {
            Files.writeString(charts.resolve(chart.getKey()), chart.getValue());
        }
        return 0;
    }

    /** What every bench takes. */
    private static final class BenchOptions {

        @Spec(Spec.Target.MIXEE)
        CommandSpec spec;

        @Option(names = "--json", description = "Print the result as one line of JSON and nothing else.")
        boolean json;

        @Option(names = "--results", defaultValue = "proof/benchmarks/results", paramLabel = "DIR",
                description = "The folder of the raw results. Default: ${DEFAULT-VALUE}.")
        Path results;

        /** @throws ParameterException naming the option and its range, ends included */
        void require(String option, double number, double least, double most) {
            if (!(number >= least && number <= most)) {
                throw new ParameterException(spec.commandLine(), "%s is %s, but must be from %s to %s".formatted(option, plain(number),
                        plain(least), plain(most)));
            }
        }

        private static String plain(double number) {
            return Double.isFinite(number) ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString() : "no number";
        }

        /** @throws ParameterException if one of these names is not among the known */
        void requireKnown(List<String> against, Collection<String> known) {
            against.stream().filter(name -> !name.equals("none") && !known.contains(name)).findFirst().ifPresent(name -> {
                throw new ParameterException(spec.commandLine(), "--against: there is no '%s'; there are %s, and 'none'".formatted(name,
                        String.join(", ", known)));
            });
        }

        PrintWriter story() {
            return new PrintWriter(json ? Writer.nullWriter() : out(), true);
        }

        PrintWriter out() {
            return spec.commandLine().getOut();
        }

        /** Prints it, and keeps it under the bench's name and setting. */
        void finish(String name, Map<String, ?> result) {
            new Results(results).keep(name, result);
            out().println(Results.line(result));
            out().flush();
        }

        /** 0 if it says that the books balanced, else 1. */
        int finishBalanced(String name, Map<String, ?> result) {
            finish(name, result);
            return result.get("balanced").equals(true) ? 0 : 1;
        }
    }

    /** Reads {@code 0}, {@code 20ms} and {@code 6s}. */
    private static final class Millis implements ITypeConverter<Duration> {

        private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)|0");

        @Override
        public Duration convert(String text) {
            Matcher time = TIME.matcher(text);
            if (!time.matches()) {
                throw new TypeConversionException("'%s' is no time: write it like 0, 20ms or 6s".formatted(text));
            }
            if (time.group(1) == null) {
                return Duration.ZERO;
            }
            long number = Long.parseLong(time.group(1));
            return time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
        }
    }
}
