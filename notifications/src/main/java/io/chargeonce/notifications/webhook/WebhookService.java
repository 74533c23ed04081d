// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.DeliverySchedule;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.runtime.Worker;
import io.chargeonce.runtime.tls.CertificateExpiry;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;

/**
 * Sends webhooks to merchants. A loop turns outcomes into rows ({@link OutcomeHandler}); a worker sends the rows that are due
 * ({@link Dispatcher}); another disables what fails for long ({@link Housekeeping}). Wiring only.
 */
public final class WebhookService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);
    /** To Postgres, of one process. */
    public static final int CONNECTIONS = 8;
    private static final int OUTCOMES_AT_ONCE = 256;
    private static final Duration LOOK_FOR_DUE = Duration.ofMillis(50);
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);

    private WebhookService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Neither Kafka nor Postgres need answer yet. */
    public static Lifecycle start(WebhookSettings settings, Meters meters) {
        return start(settings, meters, DefaultClientTlsStrategy.createDefault());
    }

    static Lifecycle start(WebhookSettings settings, Meters meters, TlsSocketStrategy tls) {
        PipelineSettings pipeline = settings.pipeline();
        CertificateExpiry.reportOurs(meters.registry(), pipeline.databaseUrl(), pipeline.kafkaProperties());
        var lifecycle = new Lifecycle("webhook-sender", TO_CLOSE_A_PART);
        var topics = new Topics(pipeline.topicPrefix());
        var database = lifecycle.start("database", () -> Database.openForService(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), CONNECTIONS).countedBy(meters.registry()));
        var table = new DeliveryTable(database);
        var webhookMeters = new WebhookMeters(meters.registry());
        var limits = new Dispatcher.Limits(settings.slots(), settings.perEndpoint(), settings.timeout());
        var http = lifecycle.start("http client", () -> new HttpPost(new Targets(settings.allowedHosts()), settings.timeout(),
                limits.triesAtOnce(), tls, InstantSource.system()));
        var sender = new Sender(settings.vault(), http, InstantSource.system());
        var dispatcher = lifecycle.start("dispatcher", () -> new Dispatcher(database, sender,
                new DeliverySchedule(settings.schedule()),
                limits, webhookMeters));
        var sending = lifecycle.start("sending", () -> Worker.start("webhook-dispatcher", LOOK_FOR_DUE, dispatcher::runOnce)
                .countedBy(meters.registry()));
        var housekeeping = lifecycle.start("housekeeping", () -> Worker.start("webhook-housekeeping", HOUSEKEEPING,
                new Housekeeping(table, webhookMeters, settings.disableAfter(), settings.keep())).countedBy(meters.registry()));
        var handler = lifecycle.start("staging", () -> new OutcomeHandler(database, () -> {}));
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties()).countedBy(meters.registry());
        var loop = lifecycle.start("loop", () -> new RecordLoop(
                LoopSettings.of("webhooks", Set.of(topics.outcomes()), OUTCOMES_AT_ONCE),
                new ConsumerSettings(kafka, topics.webhooksGroup(), GroupProtocol.CLASSIC), DueTimes.immediately(), handler,
                new SteadyClock(), meters.registry()).start());
        pipeline.admin().ifPresent(admin -> lifecycle.start("admin server",
                () -> AdminServer.start(admin, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                        .live("loop", loop::standstill).ready("loop", loop::problem).ready("database", table::problem)
                        .ready("secrets", sender::problem).watch(sending).watch(housekeeping)));
        return lifecycle;
    }
}
