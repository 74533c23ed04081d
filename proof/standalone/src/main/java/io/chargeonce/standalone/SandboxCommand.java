// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.Migrate;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.testkit.SandboxMerchants;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "sandbox", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs what the services need, without the services, until Ctrl-C: Kafka, Postgres, simulators of Stripe and Adyen, "
                + "schema, topics and the two merchants of 'up'. For services that run as processes or containers of their own.",
        footer = {"", "Example:", "  In one terminal, then the services in others:", "    chargeonce sandbox", "    chargeonce ingest"})
final class SandboxCommand implements Callable<Integer> {

    private static final Duration TIME_PER_PART = Duration.ofSeconds(60);
    private static final int PARTITIONS = 12;

    @Spec
    CommandSpec spec;

    @Option(names = "--data", paramLabel = "DIR", description = "Keep everything in this directory between runs. Default: a temporary one.")
    Optional<Path> data = Optional.empty();

    @Mixin
    Ports ports = new Ports();

    @Override
    public Integer call() throws InterruptedException {
        var problems = new InputProblems();
        DataDirectory.problem(data).ifPresent(problems::add);
        if (problems.any()) {
            return problems.print(spec);
        }
        try (var lifecycle = new Lifecycle("sandbox", TIME_PER_PART)) {
            var foundations = Foundations.start(lifecycle, data, ports);
            var pipeline = new PipelineSettings(foundations.postgres().jdbcUrl(), "postgres", "",
                    foundations.kafka().bootstrapServers(), Optional.empty(), "payments",
                    List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10)), Optional.empty());
            Migrate.schema(pipeline);
            Migrate.topics(pipeline, PARTITIONS, Optional.of((short) 1));
            SandboxMerchants.create(pipeline);
            spec.commandLine().getOut().printf("""
                    Up.
                      CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS=%s
                      CHARGEONCE_DATABASE_URL=%s
                      CHARGEONCE_STRIPE_API_BASE=%s
                      CHARGEONCE_ADYEN_API_BASE=%s
                      CHARGEONCE_DATA_KEY_FILE=%s
                    """, pipeline.kafka(), pipeline.databaseUrl(), foundations.stripe().apiBase(), foundations.adyen().apiBase(),
                    foundations.dataKey());
            spec.commandLine().getOut().flush();
            lifecycle.awaitShutdown();
        }
        return 0;
    }
}
