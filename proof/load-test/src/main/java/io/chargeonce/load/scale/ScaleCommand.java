// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import io.chargeonce.load.option.Range;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "scale", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = {"Simulates many shards under more load than one machine can make, with a queueing model.",
            "The model has acceptance, claims, calls to PSPs, tiers and an outage. Give it what 'chargeonce bench ingest' and 'bench "
                    + "charge' measured on a shard's machine."},
        footer = {"", "Example: a million payments a minute at the peak, a PSP outage of ten minutes.",
            "  chargeonce load scale --rate 16667 --shards 16 --accepts 12000 --charges 6000 --outage 600"})
public final class ScaleCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;
    @Option(names = "--rate", defaultValue = "16667", paramLabel = "N",
            description = "Payments a second. Default: ${DEFAULT-VALUE}, a million a minute.")
    double rate;
    @Option(names = "--shards", defaultValue = "16", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    int shards;
    @Option(names = "--accepts", required = true, paramLabel = "N", description = "Acceptances a second that one shard does alone.")
    double accepts;
    @Option(names = "--charges", required = true, paramLabel = "N", description = "Charges a second that one shard does alone.")
    double charges;
    @Option(names = "--in-flight", defaultValue = "4000", paramLabel = "N",
            description = "Calls under way for each shard. Default: ${DEFAULT-VALUE}.")
    int inFlight;
    @Option(names = "--psp-latency", defaultValue = "800", paramLabel = "MS",
            description = "Milliseconds of a call. Default: ${DEFAULT-VALUE}.")
    long latency;
    @Option(names = "--failing", defaultValue = "1", paramLabel = "PERCENT",
            description = "Calls that fail and take a tier. Default: ${DEFAULT-VALUE}.")
    double failing;
    @Option(names = "--outage", defaultValue = "0", paramLabel = "S", description = "Seconds without any PSP. Default: ${DEFAULT-VALUE}.")
    long outage;
    @Option(names = "--length", defaultValue = "3600", paramLabel = "S",
            description = "Seconds in which payments come. Default: ${DEFAULT-VALUE}.")
    long length;
    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    long seed;
    @Option(names = "--json", description = "Print the result as one line of JSON.")
    boolean json;

    /** 0 if the shards carry it, 1 if payments are refused or never done. */
    @Override
    public Integer call() {
        var positive = new Range(0.1, 10_000_000);
        positive.require(spec, "--rate", rate);
        positive.require(spec, "--accepts", accepts);
        positive.require(spec, "--charges", charges);
        new Range(1, 10_000).require(spec, "--shards", shards);
        new Range(1, 1_000_000).require(spec, "--in-flight", inFlight);
        new Range(0, 100).require(spec, "--failing", failing);
        new Range(1, 600_000).require(spec, "--psp-latency", latency);
        new Range(0, 86_400).require(spec, "--outage", outage);
        new Range(1, 86_400).require(spec, "--length", length);
        var plan = new ScalePlan(rate, shards, accepts, charges, inFlight, Duration.ofMillis(latency), failing / 100,
                List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10)), Duration.ofSeconds(outage),
                Duration.ofSeconds(length));
        ScaleModel.Result result = ScaleModel.run(plan, seed);
        spec.commandLine().getOut().println(json ? json(result) : text(result));
        return result.holds() ? 0 : 1;
    }

    private static String text(ScaleModel.Result result) {
        ScaleCounts counts = result.counts();
        return String.format(Locale.ROOT, """
                %,d accepted, %,d refused, %,d settled; at most %,d were due and waited
                the busiest moment of a shard's Postgres: %.0f%%
                from request to outcome: half within %.1f s, 99%% within %.1f s, all within %.1f s
                the last outcome came %,d s after the last request; these shards %s""",
                counts.accepted(), counts.refused(), counts.settled(), counts.mostWaiting(), counts.busiest() * 100, counts.seconds(0.5),
                counts.seconds(0.99), counts.seconds(1), result.aftermath().toSeconds(), result.holds() ? "carry it" : "do NOT carry it");
    }

    private static String json(ScaleModel.Result result) {
        ScaleCounts counts = result.counts();
        return String.format(Locale.ROOT,
                "{\"holds\":%b,\"accepted\":%d,\"refused\":%d,\"settled\":%d,\"most_waiting\":%d,\"busiest\":%.2f,"
                        + "\"p50_s\":%.1f,\"p99_s\":%.1f,\"max_s\":%.1f,\"aftermath_s\":%d}",
                result.holds(), counts.accepted(), counts.refused(), counts.settled(), counts.mostWaiting(), counts.busiest(),
                counts.seconds(0.5),
                counts.seconds(0.99), counts.seconds(1), result.aftermath().toSeconds());
    }
}
