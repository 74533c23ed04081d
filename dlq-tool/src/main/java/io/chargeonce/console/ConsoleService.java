// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.witness.Progress;
import io.chargeonce.console.witness.Witness;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A console: the witness, with its health and metrics. It needs Kafka and no Postgres, because a second pair of eyes must share nothing
 * with the services that it watches. Wiring only.
 */
public final class ConsoleService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);

    private ConsoleService() {}

    /**
     * Starts the service and returns at once; closing the lifecycle ends it. Kafka need not answer yet.
     *
     * @throws io.chargeonce.runtime.StartFailed naming the part that could not start; what had started is closed
     */
    public static Lifecycle start(ConsoleSettings settings, Meters meters) {
        PipelineSettings pipeline = settings.pipeline();
        var lifecycle = new Lifecycle("console", TO_CLOSE_A_PART);
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties());
        Witness witness = lifecycle.start("witness", () -> Witness.start(settings.witness(), kafka, new Topics(pipeline.topicPrefix()),
                pipeline.tiers(), meters.registry()));
        pipeline.admin().ifPresent(admin -> lifecycle.start("admin server",
                () -> AdminServer.start(admin, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                        .ready("witness", () -> problem(witness.view().progress()))));
        return lifecycle;
    }

    /** Empty while the witness is up to date. */
    private static Optional<String> problem(Progress progress) {
        if (progress.state() == Progress.State.LIVE) {
            return Optional.empty();
        }
        return Optional.of("%s, %.0f %%, %,d records to read%s".formatted(progress.state().name().toLowerCase(Locale.ROOT),
                progress.percent(), progress.recordsToGo(), progress.problem().isEmpty() ? "" : "; " + progress.problem()));
    }
}
