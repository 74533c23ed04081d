// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.OpenCounts;
import io.chargeonce.checker.evidence.EvidenceMissing;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.load.option.Durations;
import io.chargeonce.load.option.HttpAddress;
import io.chargeonce.load.option.Range;
import io.chargeonce.load.poison.PoisonCorpus;
import io.chargeonce.load.traffic.HistoryFile;
import io.chargeonce.load.traffic.Mix;
import io.chargeonce.load.traffic.Second;
import io.chargeonce.load.traffic.Traffic;
import io.chargeonce.load.traffic.TrafficLatencies;
import io.chargeonce.load.traffic.TrafficMerchant;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "run", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Sends payments over HTTP at a steady rate, whether or not the last ones were answered, and reports how that went.",
        footer = {"", "Example: against 'chargeonce up', then the books.",
            "  chargeonce load run --rate 200 --duration 30s --psp http://127.0.0.1:8090 --poison",
            "  chargeonce load check --history load-history.ndjson"})
final class RunCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Mixin
    PipelineOptions pipeline = new PipelineOptions();

    @Option(names = "--rate", defaultValue = "100", paramLabel = "N",
            description = "Calls a second, from 0.1 to 100000. Default: ${DEFAULT-VALUE}.")
    double rate;

    @Option(names = "--duration", defaultValue = "30s", paramLabel = "D", converter = Durations.class,
            description = "How long. Default: ${DEFAULT-VALUE}.")
    Duration duration;

    @Option(names = "--warm-up", defaultValue = "0s", paramLabel = "D", converter = Durations.class,
            description = "Sends the same load for so long first, without counting it in the report: new JVMs are slow. Default: "
                    + "${DEFAULT-VALUE}.")
    Duration warmUp;

    @Option(names = "--mix", paramLabel = "MIX",
            description = "Shares in per cent: "
                    + "declined=8,fails_once=2,fails_always=0.5,unknown_once=0.5,answer_lost=0.5,repeats=5,other_bodies=0.5 are the "
                    + "default.")
    Optional<String> mix = Optional.empty();

    @Option(names = "--url", defaultValue = "http://127.0.0.1:8080", paramLabel = "URL", converter = HttpAddress.class,
            description = "The ingest service. Default: ${DEFAULT-VALUE}.")
    URI url;

    @Option(names = "--merchant", split = ",", paramLabel = "NAME=TOKEN",
            description = "The merchants that send. Default: the sandbox's acme and globex.")
    List<String> merchants = List.of();

    @Option(names = "--psp", paramLabel = "URL", converter = HttpAddress.class,
            description = "A PSP simulator, which then gets the mix's fault rules. Without it only cards decide.")
    Optional<URI> psp = Optional.empty();

    @Option(names = "--poison", description = "Puts one poison record of every kind straight on the main topic as well.")
    boolean poison;

    @Option(names = "--seed", paramLabel = "N", description = "Decides which payments are made. Default: random, and printed.")
    Optional<Long> seed = Optional.empty();

    @Option(names = "--history", defaultValue = "load-history.ndjson", paramLabel = "FILE",
            description = "Where the calls and their answers are written, for 'load check'. Default: ${DEFAULT-VALUE}.")
    Path history;

    @Option(names = "--chart", defaultValue = "load-latency.svg", paramLabel = "FILE",
            description = "Latency over time and its distribution. Default: ${DEFAULT-VALUE}.")
    Path chart;

    @Option(names = "--json", description = "Print the report as one line of JSON and nothing else.")
    boolean json;

    /** 0 if every call was answered and something was accepted, else 1. */
    @Override
    public Integer call() throws IOException {
        new Range(0.1, 100_000).require(spec, "--rate", rate);
        if (duration.isZero()) {
            throw new ParameterException(spec.commandLine(), "--duration is 0, but must be at least 1ms");
        }
        Mix shares = parsed();
        List<TrafficMerchant> who = who();
        requireWhatItNeeds();
        long chosen = seed.orElseGet(() -> RandomGenerator.getDefault().nextLong(1, 1_000_000_000));
        var out = spec.commandLine().getOut();
        try (var file = HistoryFile.create(history)) {
            if (warmUp.isPositive()) {
                spec.commandLine().getErr().println("warming up for " + warmUp.toSeconds() + " s, which do not count …");
                new Traffic(url, psp, 3, file::add, file::add).run(rate, warmUp, shares, who, new Random(chosen), "warm-" + chosen);
            }
            var traffic = new Traffic(url, psp, 3, file::add, file::add);
            var progress = new LoadProgress(json ? Optional.empty() : Optional.of(out), traffic.latencies(), pipeline);
            Thread watch = Thread.ofPlatform().daemon().name("progress").start(progress);
            if (poison) {
                sendPoison(chosen);
            }
            long start = System.nanoTime();
            traffic.run(rate, duration, shares, who, new Random(chosen), "load-" + chosen);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            progress.end(watch);
            LoadReport report = new LoadReport(chosen, rate, took, progress.seconds(), traffic.latencies());
            Files.writeString(chart, report.svg());
            out.println(json ? report.json() : report.text() + "history: " + history + ", chart: " + chart);
            out.flush();
            return traffic.latencies().unansweredCalls() == 0 && traffic.latencies().accepted() > 0 ? 0 : 1;
        }
    }

    private Mix parsed() {
        try {
            return mix.map(Mix::parse).orElseGet(Mix::usual);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--mix: " + e.getMessage(), e);
        }
    }

    private List<TrafficMerchant> who() {
        if (merchants.isEmpty()) {
            return TrafficMerchant.sandbox();
        }
        return merchants.stream().map(pair -> {
            String[] parts = pair.split("=", 2);
            if (parts.length != 2) {
                throw new ParameterException(spec.commandLine(), "--merchant needs NAME=TOKEN");
            }
            return new TrafficMerchant(parts[0], parts[1]);
        }).toList();
    }

    /** A mistake must show before the load and not after it. */
    private void requireWhatItNeeds() {
        Writable.require(spec, "--chart", chart);
        Writable.require(spec, "--history", history);
        Reachable.http("the ingest service", "--url", url);
        psp.ifPresent(Reachable::simulator);
        if (poison) {
            Reachable.topic(pipeline.connection(), mainTopic());
        }
    }

    private String mainTopic() {
        return new Topics(pipeline.settings().topicPrefix()).requests();
    }

    private void sendPoison(long chosen) {
        var refused = new AtomicInteger();
        try (var producer = new ProducerSettings(pipeline.connection(), "load-poison").newProducer()) {
            PoisonCorpus.of(new Random(chosen)).forEach(record -> producer.send(record.on(mainTopic()), (told, refusal) -> {
                if (refusal != null) {
                    refused.incrementAndGet();
                }
            }));
        }
        if (refused.get() > 0) {
            spec.commandLine().getErr().println(refused + " of the poison records were refused by the broker");
        }
    }

    /** Looks once a second how a load is going, prints a line about it, and keeps the figures for the chart. On a thread of its own. */
    private static final class LoadProgress implements Runnable {

        private final Optional<PrintWriter> out;
        private final TrafficLatencies latencies;
        private final PipelineOptions pipeline;
        private final List<Second> seconds = new CopyOnWriteArrayList<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        LoadProgress(Optional<PrintWriter> out, TrafficLatencies latencies, PipelineOptions pipeline) {
            this.out = out;
            this.latencies = latencies;
            this.pipeline = pipeline;
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            long last = start;
            while (!over()) {
                long now = System.nanoTime();
                Second second = Second.of(latencies.sinceLastLook(), (now - last) / 1e9);
                last = now;
                seconds.add(second);
                out.ifPresent(screen -> {
                    screen.printf("%4d s  %,7.0f/s  p50 %,8.1f ms  p99 %,8.1f ms  unanswered %d%s%n", Math.round((now - start) / 1e9),
                            second.perSecond(),
                            second.p50Millis(), second.p99Millis(), latencies.unansweredCalls(), openCounts());
                    screen.flush();
                });
            }
        }

        private boolean over() {
            try {
                return ended.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }

        /** Only if the pipeline's database can be asked from here. */
        private String openCounts() {
            try {
                OpenCounts now = Checker.openCounts(pipeline.evidence(List.of()));
                return "  in tiers %d  unknown %d  dead %d".formatted(now.inTiers(), now.unresolved(), now.dead());
            } catch (EvidenceMissing outOfReach) {
                return "";
            }
        }

        void end(Thread watch) {
            ended.countDown();
            try {
                watch.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        List<Second> seconds() {
            return List.copyOf(seconds);
        }
    }
}
