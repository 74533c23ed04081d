package io.chargeonce.ingest;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.InstantSource;

/**
 * One ingest service: takes payments over HTTP and relays what it staged to Kafka. It starts while Postgres or Kafka is
 * away and answers 503 until Postgres is back. Several may live in one JVM; any thread may close one.
 */
public final class IngestService implements AutoCloseable {

    private static final Duration TIME_PER_PART = Duration.ofSeconds(20);
    private static final Duration LONGEST_BODY = Duration.ofSeconds(20);
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);
    private static final int WRITERS = 2;

    private final Lifecycle lifecycle;
    private final IngestHttp http;

    private IngestService(Lifecycle lifecycle, IngestHttp http) {
        this.lifecycle = lifecycle;
        this.http = http;
    }

    /** @throws io.chargeonce.runtime.StartFailed naming the part that could not start; what had started is closed */
    public static IngestService start(IngestSettings settings, Meters meters) {
        var clock = InstantSource.system();
        var pipeline = settings.pipeline();
        var topics = new Topics(pipeline.topicPrefix());
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties());
        var lifecycle = new Lifecycle("ingest-service", TIME_PER_PART);
        var database = lifecycle.start("database", () -> Database.open(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), settings.databaseConnections()));
        var producer = lifecycle.start("producer", new ProducerSettings(kafka, "ingest-relay")::newProducer);
        var relay = lifecycle.start("relay", () -> new OutboxRelay(database, producer, meters.registry()).start());
        var acceptances = lifecycle.start("acceptances", () -> new Coalescer<>("accept", database, WRITERS, relay::nudge,
                new AcceptPayments(topics.requests(), settings.chargeWithin())));
        var merchants = lifecycle.start("merchants", () -> new Merchants(database, clock));
        var deadline = lifecycle.start("deadline", () -> new Deadline(LONGEST_BODY));
        var patience = lifecycle.start("patience", () -> new Deadline(LONGEST_SILENCE));
        var accept = new AnswerAsk(new KeysInFlight(acceptances)::accept);
        var requestMeters = new IngestMeters(meters.registry());
        var api = new PaymentsApi(merchants, new RequestBody(deadline), accept,
                new PostBatch(accept, requestMeters, patience, clock), new ReadPayment(database), new Exchange(deadline),
                requestMeters, clock);
        var http = lifecycle.start("http", () -> IngestHttp.start(settings.address(), api));
        pipeline.admin().ifPresent(address -> lifecycle.start("admin server",
                () -> AdminServer.start(address, meters::scrape).ready("database", database::problem)));
        return new IngestService(lifecycle, http);
    }

    public void awaitShutdown() throws InterruptedException {
        lifecycle.awaitShutdown();
    }

    /** The port that it listens on, also where any free one was asked for. */
    public int port() {
        return http.port();
    }

    /** Stops taking requests, answers those under way, and returns when everything is closed. */
    @Override
    public void close() {
        lifecycle.close();
    }
}
