// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

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

/**
 * Mails receipts to customers. A loop turns records into rows ({@link ReceiptHandler}); a worker mails the rows that are due
 * ({@link Dispatcher}). Wiring only.
 */
public final class ReceiptService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);
    /** To Postgres, of one process. */
    public static final int CONNECTIONS = 8;
    private static final int RECORDS_AT_ONCE = 256;
    private static final Duration LOOK_FOR_DUE = Duration.ofMillis(100);
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);
    private static final int FORGOTTEN_AT_ONCE = 1_000;

    private ReceiptService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Kafka, Postgres and the mail server need not answer yet. */
    public static Lifecycle start(ReceiptSettings settings, Meters meters) {
        PipelineSettings pipeline = settings.pipeline();
        CertificateExpiry.reportOurs(meters.registry(), pipeline.databaseUrl(), pipeline.kafkaProperties());
        var lifecycle = new Lifecycle("receipt-sender", TO_CLOSE_A_PART);
        var topics = new Topics(pipeline.topicPrefix());
        var database = lifecycle.start("database", () -> Database.openForService(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), CONNECTIONS).countedBy(meters.registry()));
        var table = new ReceiptTable(database);
        var receiptMeters = new ReceiptMeters(meters.registry());
        var mailer = lifecycle.start("mailer", () -> new Mailer(table, settings.server(), settings.letterhead(), InstantSource.system()));
        var dispatcher = lifecycle.start("dispatcher", () -> new Dispatcher(database, mailer,
                new DeliverySchedule(settings.schedule()), settings.connections(),
                settings.server().timeout(), receiptMeters));
        var sending = lifecycle.start("sending", () -> Worker.start("receipt-dispatcher", LOOK_FOR_DUE, dispatcher::runOnce)
                .countedBy(meters.registry()));
        var housekeeping = lifecycle.start("housekeeping", () -> Worker.start("receipt-housekeeping", HOUSEKEEPING, () -> {
            receiptMeters.show(table.backlog());
            return table.forget(settings.keep(), FORGOTTEN_AT_ONCE);
        }).countedBy(meters.registry()));
        var handler = lifecycle.start("staging", () -> new ReceiptHandler(database));
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties());
        var loop = lifecycle.start("loop", () -> new RecordLoop(
                LoopSettings.of("receipts", Set.of(topics.receipts()), RECORDS_AT_ONCE),
                new ConsumerSettings(kafka, topics.receiptsGroup(), GroupProtocol.CLASSIC), DueTimes.immediately(), handler,
                new SteadyClock(), meters.registry()).start());
        pipeline.admin().ifPresent(admin -> lifecycle.start("admin server",
                () -> AdminServer.start(admin, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                        .live("loop", loop::standstill).ready("loop", loop::problem).ready("database", table::problem)
                        .ready("mail server", mailer::problem).watch(sending).watch(housekeeping)));
        return lifecycle;
    }
}
