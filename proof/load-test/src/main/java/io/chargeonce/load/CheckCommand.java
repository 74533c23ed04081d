// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import java.nio.file.Files;
import java.util.stream.Stream;
import picocli.CommandLine.ParameterException;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.OurReceipts;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.load.option.Durations;
import io.chargeonce.load.option.HttpAddress;
import io.chargeonce.terminal.Screen;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "check", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Balances the books of a running pipeline: ledgers, rows and topics. Only reads. CHARGEONCE_… variables say where "
                + "Postgres and Kafka are; without them it checks 'chargeonce up'.",
        footer = {"", "Exit codes: 0 the books balance, 1 they are broken or payments are under way, 2 wrong usage or settings,",
            "3 something cannot be reached.", "", "Example: 'chargeonce up' after a load.",
            "  chargeonce load check --history load-history.ndjson --well"})
final class CheckCommand implements Callable<Integer> {

    private static final int TOLD_HERE = 3;

    @Spec
    CommandSpec spec;

    @Mixin
    PipelineOptions pipeline = new PipelineOptions();

    @Option(names = "--service", paramLabel = "URL", converter = HttpAddress.class,
            description = "A charge or retry service whose metrics report the retry tiers and PSPs. Default: CHARGEONCE_ADMIN_ADDRESS, "
                    + "else http://127.0.0.1:9100, where 'up' serves them.")
    Optional<URI> service = Optional.empty();

    @Option(names = "--tiers", split = ",", paramLabel = "D", converter = Durations.class,
            description = "The delays of the retry tiers, such as 5s,1m,10m. Default: CHARGEONCE_RETRY_TIERS, else what the service "
                    + "reports.")
    List<Duration> tiers = List.of();

    @Option(names = "--psp", paramLabel = "URL", converter = HttpAddress.class,
            description = "A PSP simulator whose ledger counts; once for each. Default: those that the service reports. Without any, "
                    + "captures are not checked.")
    List<URI> psps = List.of();

    @Option(names = "--receipts",
            description = "Chargeonce has mailed the receipts for 19 days: each success with an address must have one. Without this "
                    + "option, only those since the start of the service are checked.")
    boolean receipts;

    @Option(names = "--history", paramLabel = "FILE", description = "The calls of clients and their answers, as 'load run' writes them.")
    Optional<Path> history = Optional.empty();

    @Option(names = "--planted", paramLabel = "TEXT",
            description = "A string that must not occur in any record, row, log or metric; repeatable.")
    List<String> planted = List.of();

    @Option(names = "--log", paramLabel = "FILE", description = "A log file to search for the --planted strings; repeatable.")
    List<Path> logs = List.of();

    @Option(names = "--in-flight", description = "Payments in progress are fine. Without this option the verdict is unknown while "
            + "there are any.")
    boolean inFlight;

    @Option(names = "--well",
            description = "There was no fault, and all had time to end: then lateness, repeated records and payments still under way "
                    + "break the books.")
    boolean well;

    @Option(names = "--latest", defaultValue = "5s", paramLabel = "D", converter = Durations.class,
            description = "With --well: how late a retry may start. Default: ${DEFAULT-VALUE}.")
    Duration latest;

    @Option(names = "--metrics", paramLabel = "URL", converter = HttpAddress.class,
            description = "With --well: a service whose heap, descriptors and threads are looked at; repeatable. Default: --service.")
    List<URI> metrics = List.of();

    @Option(names = "--json", description = "Print the verdict as one line of JSON.")
    boolean json;

    /** 0 if balanced, else 1. */
    @Override
    public Integer call() {
        requireFiles();
        CheckEvidence evidence = pipeline.evidence(psps).planted(planted, logs);
        requireSources(evidence);
        Optional<RunningSettings> running = running();
        evidence = withTiers(evidence, running);
        evidence = running.filter(told -> psps.isEmpty()).map(RunningSettings::simulators).map(evidence::psps).orElse(evidence);
        evidence = withReceipts(evidence, running);
        if (history.isPresent()) {
            evidence = evidence.calls(new Calls.InFile(history.get()));
        }
        if (well) {
            List<URI> looked = metrics.isEmpty() ? running.map(RunningSettings::service).stream().toList() : metrics;
            evidence = evidence.recovered(new Recovery(Instant.EPOCH, latest, 0, 0, false, looked));
        }
        CheckVerdict verdict = Checker.check(inFlight ? evidence.allowInFlight() : evidence);
        if (json) {
            Screen.of(spec).print("%s", verdict.json());
        } else {
            say(basis(evidence) + verdict.stories(TOLD_HERE) + rest(verdict).map("all of it, with its history: %s%n"::formatted).orElse("")
                    + verdict.summary());
        }
        return verdict.balanced() ? 0 : 1;
    }

    private void say(String text) {
        Screen screen = Screen.of(spec);
        text.lines().forEach(line -> screen.wrapped(" ".repeat(line.length() - line.stripLeading().length()), line.stripLeading())
                .forEach(part -> screen.print("%s", part)));
    }

    /** A terminal shows the first few; all of them are in a file that only this person may read. */
    private Optional<Path> rest(CheckVerdict verdict) {
        if (verdict.violations().size() <= TOLD_HERE) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.writeString(Files.createTempFile("chargeonce-check-", ".txt"), verdict.report()));
        } catch (IOException e) {
            throw new UncheckedIOException("what was found cannot be written to a file; --json prints all of it", e);
        }
    }

    private void requireFiles() {
        Stream.concat(history.stream(), logs.stream()).filter(file -> !Files.isReadable(file)).findFirst().ifPresent(file -> {
            throw new ParameterException(spec.commandLine(), "there is no file %s that can be read".formatted(file));
        });
        if (tiers.stream().anyMatch(Duration::isZero)) {
            throw new ParameterException(spec.commandLine(), "--tiers: each must be longer than 0");
        }
    }

    /** The tool finds what is not there before it reads for minutes; a verdict without it would mean nothing. */
    private void requireSources(CheckEvidence evidence) {
        Checker.underWay(evidence);
        Reachable.topic(pipeline.connection(), new Topics(evidence.topicPrefix()).requests());
        psps.forEach(Reachable::simulator);
        metrics.forEach(address -> Reachable.http("the service", "--metrics", address));
    }

    /** Empty where no service tells its settings and none has to, because the tiers are given. */
    private Optional<RunningSettings> running() {
        boolean tiersGiven = !tiers.isEmpty() || pipeline.tiers().isPresent();
        try {
            return tiersGiven && !psps.isEmpty() && service.isEmpty() ? Optional.empty()
                    : Optional.of(RunningSettings.of(service.orElseGet(pipeline::admin), pipeline.adminToken()));
        } catch (UncheckedIOException e) {
            if (tiersGiven && service.isEmpty()) {
                return Optional.empty();
            }
            throw new UncheckedIOException(
                    "%s: say with --service where one does, or name --tiers and each --psp".formatted(e.getMessage()),
                    e.getCause());
        }
    }

    private CheckEvidence withTiers(CheckEvidence evidence, Optional<RunningSettings> running) {
        if (!tiers.isEmpty()) {
            return evidence.tiers(tiers);
        }
        // Earlier the services may have had other tiers: nothing has kept them.
        return pipeline.tiers().isPresent() ? evidence
                : running.map(told -> evidence.tiers(told.tiers()).tiersSince(told.since())).orElse(evidence);
    }

    private CheckEvidence withReceipts(CheckEvidence evidence, Optional<RunningSettings> running) {
        return receipts ? evidence.with(new OurReceipts(Instant.EPOCH, false))
                : running.filter(RunningSettings::ourReceipts).map(told -> evidence.with(new OurReceipts(told.since(), false)))
                        .orElse(evidence);
    }

    /** For people, who did not name it: what was compared. */
    private static String basis(CheckEvidence evidence) {
        String delays = evidence.tiers().stream().map(CheckCommand::words).collect(Collectors.joining(", "));
        return "retry tiers: %s%s%nledgers of PSPs: %s%nreceipts: %s%n".formatted(delays,
                evidence.tiersSince().equals(Instant.EPOCH) ? ""
                        : "; waits from before %s are not compared with them: that service started then".formatted(evidence.tiersSince()),
                evidence.psps().isEmpty() ? "none, so captures are not checked; name a simulator with --psp"
                        : evidence.psps().stream().map(URI::toString).collect(Collectors.joining(", ")),
                evidence.ourReceipts().map(ours -> ours.since().equals(Instant.EPOCH) ? "one for each success with an address, for 19 days"
                        : "one for each success with an address since %s; name --receipts for earlier ones".formatted(ours.since()))
                        .orElse("not looked for; name --receipts if Chargeonce mails them"));
    }

    private static String words(Duration delay) {
        return delay.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
