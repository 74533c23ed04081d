// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.database.Database;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.HealthCheck;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.runtime.Worker;
import io.chargeonce.runtime.tls.CertificateExpiry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The process of a channel. A loop turns records into rows ({@link StagingHandler}); a worker sends the rows that are due
 * ({@link Dispatcher}); another forgets old ones and measures the backlog. Wiring only.
 */
public final class SenderService {

    /** To Postgres, of one process. */
    public static final int CONNECTIONS = 8;
    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);
    private static final int RECORDS_AT_ONCE = 256;
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);
    private static final int FORGOTTEN_AT_ONCE = 1_000;

    /**
     * What a channel reads.
     *
     * @param group       of the consumers that share the topics
     * @param operationOf the id of the operation, or of the dispute, in a record; empty for a record that is none of ours
     */
    public record Source(Set<String> topics, String group, Function<ConsumerRecord<byte[], byte[]>, Optional<String>> operationOf) {}

    /**
     * How often it looks for messages that are due, how long a try may take, the pauses between tries, and how long ended messages stay.
     */
    public record Times(Duration look, Duration timeout, List<Duration> schedule, Duration keep) {}

    /**
     * How a channel sends.
     *
     * @param tidy    what is done now and then beside forgetting; returns how many rows it has changed
     * @param needs   what it cannot do without, beside Kafka and Postgres
     * @param problem what is wrong with that, in one line
     * @param gauges  see {@link SenderMeters}
     */
    public record Sending<M extends Claimed>(MessageTable<M> table, Dispatcher.Claims<M> claims, Function<M, SendResult> send,
            IntSupplier tidy,
            String needs, HealthCheck problem, Map<String, String> gauges) {}

    /** Makes what sends, over this database. What must be closed is a part of the lifecycle. */
    public interface Setup<M extends Claimed> {
        Sending<M> over(Database database, Lifecycle lifecycle);
    }

    private SenderService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Neither Kafka nor Postgres nor receivers need answer yet. */
    public static <M extends Claimed> Lifecycle start(Channel channel, PipelineSettings pipeline, Meters meters, Source source, Times times,
                                                      Setup<M> setup) {
        String noun = channel.noun();
        CertificateExpiry.reportOurs(meters.registry(), pipeline.databaseUrl(), pipeline.kafkaProperties());
        var lifecycle = new Lifecycle(noun + "-sender", TO_CLOSE_A_PART);
        var database = lifecycle.start("database", () -> Database.openForService(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), CONNECTIONS).countedBy(meters.registry()));
        Sending<M> sending = setup.over(database, lifecycle);
        var shown = new SenderMeters(meters.registry(), channel, sending.gauges);
        var dispatcher = lifecycle.start("dispatcher", () -> new Dispatcher<>(channel, database, sending.table, sending.claims,
                sending.send, new DeliverySchedule(times.schedule), times.timeout, shown));
        var tries = lifecycle.start("sending", () -> Worker.start(noun + "-dispatcher", times.look, dispatcher::runOnce)
                .countedBy(meters.registry()));
        var housekeeping = lifecycle.start("housekeeping", () -> Worker.start(noun + "-housekeeping", HOUSEKEEPING, () -> {
            int changed = sending.tidy.getAsInt() + sending.table.forget(times.keep, FORGOTTEN_AT_ONCE);
            shown.show(sending.table.backlog());
            return changed;
        }).countedBy(meters.registry()));
        var handler = lifecycle.start("staging", () -> new StagingHandler(channel, database, source.operationOf));
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties()).countedBy(meters.registry());
        var loop = lifecycle.start("loop", () -> new RecordLoop(LoopSettings.of(noun + "s", source.topics, RECORDS_AT_ONCE),
                new ConsumerSettings(kafka, source.group, GroupProtocol.CLASSIC), DueTimes.immediately(), handler, new SteadyClock(),
                meters.registry()).start());
        pipeline.admin().ifPresent(admin -> lifecycle.start("admin server",
                () -> AdminServer.start(admin, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                        .live("loop", loop::standstill).ready("loop", loop::problem)
                        .ready("database", () -> database.problem(channel.table())).ready(sending.needs, sending.problem)
                        .watch(tries).watch(housekeeping)));
        return lifecycle;
    }
}
