// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.Verdict;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.Evidence;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.wire.Topics;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "check", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Balances the books of a running pipeline: ledgers, rows and topics. Only reads. Where Postgres and Kafka are comes from CHARGEONCE_… variables.",
        footer = {"", "Example: 'chargeonce up' after a load.",
            "  chargeonce load check --psp http://127.0.0.1:8090 --history load-history.ndjson --well --metrics http://127.0.0.1:9100"})
final class CheckCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Mixin
    PipelineOptions pipeline = new PipelineOptions();

    @Option(names = "--psp", paramLabel = "URL", converter = HttpAddress.class,
            description = "A PSP simulator whose ledger counts; once for each. Without any, captures are not checked.")
    List<URI> psps = List.of();

    @Option(names = "--history", paramLabel = "FILE", description = "What clients sent and were told, as 'load run' writes it.")
    Optional<Path> history = Optional.empty();

    @Option(names = "--planted", paramLabel = "TEXT", description = "A string that must be found nowhere; repeatable.")
    List<String> planted = List.of();

    @Option(names = "--log", paramLabel = "FILE", description = "A log file to search for it; repeatable.")
    List<Path> logs = List.of();

    @Option(names = "--in-flight", description = "Payments under way are fine; else the verdict is unknown while there are any.")
    boolean inFlight;

    @Option(names = "--well",
            description = "All was well and had the time that it needs: then lateness, repeated records, and whatever is still under way break the books.")
    boolean well;

    @Option(names = "--latest", defaultValue = "5s", paramLabel = "D", converter = Durations.class,
            description = "With --well: how late a retry may start. Default: ${DEFAULT-VALUE}.")
    Duration latest;

    @Option(names = "--metrics", paramLabel = "URL", converter = HttpAddress.class,
            description = "With --well: a service whose heap, descriptors and threads are looked at; repeatable.")
    List<URI> metrics = List.of();

    @Option(names = "--json", description = "Print the verdict as one line of JSON.")
    boolean json;

    /** 0 if balanced, else 1. */
    @Override
    public Integer call() {
        Evidence evidence = pipeline.evidence(psps).planted(planted, logs);
        requireSources(evidence);
        if (history.isPresent()) {
            evidence = evidence.calls(new Calls.InFile(history.get()));
        }
        if (well) {
            evidence = evidence.recovered(new Recovery(Instant.EPOCH, latest, 0, 0, metrics));
        }
        Verdict verdict = Checker.check(inFlight ? evidence.allowInFlight() : evidence);
        var out = spec.commandLine().getOut();
        out.println(json ? verdict.json() : verdict.report());
        out.flush();
        return verdict.balanced() ? 0 : 1;
    }

    /** Each that is not there is told at once: books without it would say nothing. */
    private void requireSources(Evidence evidence) {
        Checker.underWay(evidence);
        Reachable.topic(pipeline.connection(), new Topics(evidence.topicPrefix()).requests());
        psps.forEach(psp -> Reachable.http("the PSP's simulator", "--psp", psp));
        metrics.forEach(service -> Reachable.http("the service", "--metrics", service));
    }
}
