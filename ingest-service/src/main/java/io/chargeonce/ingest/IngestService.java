// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseWaits;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.ingest.accept.AcceptanceService;
import io.chargeonce.ingest.accept.PostPayment;
import io.chargeonce.ingest.accept.Reaper;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.ingest.batch.PostBatch;
import io.chargeonce.ingest.cancel.CancelPayment;
import io.chargeonce.ingest.cancel.PostCancel;
import io.chargeonce.ingest.endpoints.ManageEndpoints;
import io.chargeonce.ingest.intake.Intake;
import io.chargeonce.ingest.merchants.FairShares;
import io.chargeonce.ingest.merchants.FrontDoor;
import io.chargeonce.ingest.merchants.Merchants;
import io.chargeonce.ingest.merchants.RateLimits;
import io.chargeonce.ingest.merchants.TokenUse;
import io.chargeonce.ingest.methods.ManageMethods;
import io.chargeonce.ingest.reading.ListPayments;
import io.chargeonce.ingest.reading.AwaitedOutcomes;
import io.chargeonce.ingest.reading.ReadPayment;
import io.chargeonce.ingest.refunds.AcceptRefund;
import io.chargeonce.ingest.refunds.PostRefund;
import io.chargeonce.http.BoundedHttp;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Drain;
import io.chargeonce.http.AnswerSender;
import io.chargeonce.ingest.transport.IngestHttp;
import io.chargeonce.ingest.transport.ConnectionTimeouts;
import io.chargeonce.http.RenewedTls;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.AuthenticationFailures;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.runtime.Worker;
import io.chargeonce.runtime.tls.CertificateExpiry;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * One ingest service: takes payments over HTTP and relays what it staged to Kafka. It starts even if Postgres or Kafka is
 * away, and answers 503 until Postgres is back. Several may live in one JVM; any thread may close one.
 */
public final class IngestService implements AutoCloseable {

    private static final Duration TIME_PER_PART = Duration.ofSeconds(20);
    private static final Duration REAP_EVERY = Duration.ofSeconds(1);
    private static final Duration USE_EVERY = Duration.ofMinutes(1);
    private static final Duration AGE_EVERY = Duration.ofSeconds(5);

    private final Lifecycle lifecycle;
    private final Worker reaper;
    private final BoundedHttp http;

    private IngestService(Lifecycle lifecycle, Worker reaper, BoundedHttp http) {
        this.lifecycle = lifecycle;
        this.reaper = reaper;
        this.http = http;
    }

    /** @throws io.chargeonce.runtime.StartFailed naming the part that could not start; what had started is closed */
    public static IngestService start(IngestSettings settings, Meters meters) {
        return start(settings, meters, Tracing.off());
    }

    /** @throws io.chargeonce.runtime.StartFailed naming the part that could not start; what had started is closed */
    public static IngestService start(IngestSettings settings, Meters meters, Tracing tracing) {
        return start(settings, meters, tracing, ConnectionTimeouts.USUAL);
    }

    static IngestService start(IngestSettings settings, Meters meters, Tracing tracing, ConnectionTimeouts patience) {
        var clock = InstantSource.system();
        var pipeline = settings.pipeline();
        var topics = new Topics(pipeline.topicPrefix());
        CertificateExpiry.reportOurs(meters.registry(), pipeline.databaseUrl(), pipeline.kafkaProperties());
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties()).countedBy(meters.registry());
        var lifecycle = new Lifecycle("ingest-service", TIME_PER_PART);
        // Read before anything starts, so that a wrong file is reported at once. The web server starts last, and reads them again.
        settings.tls().ifPresent(files -> lifecycle.start("https", () -> {
            files.tls();
            return () -> {};
        }));
        var database = lifecycle.start("database", () -> Database.openForService(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), settings.databaseConnections()).countedBy(meters.registry()));
        var producers = new ProducerSettings(kafka, "ingest-relay");
        lifecycle.start("agreed settings", () -> {
            AgreedSettings.mustHave(database, Optional.empty(), pipeline.eventSource());
            return () -> {};
        });
        var relay = lifecycle.start("relay",
                () -> new OutboxRelay(database, Staging::request, producers::newProducer, pipeline.eventSource(), meters.registry())
                        .start());
        var workers = new ArrayList<Worker>();
        workers.add(start(lifecycle, "ingest-database-waits", AGE_EVERY, new DatabaseWaits(database, meters.registry())::runOnce, meters));
        var accept = lifecycle.start("acceptances",
                () -> AcceptanceService.start(database, topics.requests(), settings.chargeWithin(), settings.psps(), relay::nudge));
        var reaper = startReaper(lifecycle, new Reaper(database, meters.registry()), meters);
        workers.add(reaper);
        var refunds = new AcceptRefund(database, topics, settings.chargeWithin(), settings.psps(), relay::nudge);
        var drain = new Drain();
        var intake = lifecycle.start("intake", () -> Intake.of(database, kafka, topics, accept, relay::nudge, meters.registry(), tracing,
                clock));
        workers.add(start(lifecycle, "ingest-intake", Intake.LOOK_EVERY, intake::runOnce, meters));
        pipeline.admin().ifPresent(address -> lifecycle.start("admin server", () -> {
            // Kafka may be away: payments are accepted all the same, so only a relay that does nothing at all counts here.
            var admin = AdminServer.start(address, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                    .ready("database", database::problem).ready("requests", drain::problem)
                    .live("relay", relay::standstill).live("intake", intake::standstill).ready("intake", intake::standstill);
            workers.forEach(worker -> admin.live(worker.name(), worker::standstill));
            return admin;
        }));
        // The last to start and so the first to close: what answers requests is there for as long as any is under way.
        var http = startHttp(lifecycle, settings, database, accept, refunds, meters, tracing, patience, drain, clock);
        return new IngestService(lifecycle, reaper, http);
    }

    private static Worker start(Lifecycle lifecycle, String name, Duration pause, IntSupplier pass, Meters meters) {
        return lifecycle.start(name, () -> Worker.start(name, pause, pass).countedBy(meters.registry()));
    }

    private static Worker startReaper(Lifecycle lifecycle, Reaper reaper, Meters meters) {
        Gauge.builder("chargeonce.ingest.keys.unfinished", reaper, Reaper::unfinished)
                .description("Keys older than a day whose payment is not finished; find out why")
                .register(meters.registry());
        return start(lifecycle, "ingest-reaper", REAP_EVERY, reaper::runSlowly, meters);
    }

    static BoundedHttp startHttp(Lifecycle lifecycle, IngestSettings settings, Database database, AcceptanceService accept,
                                 AcceptRefund refunds, Meters meters, Tracing tracing, ConnectionTimeouts patience, Drain drain,
                                 InstantSource clock) {
        var merchants = lifecycle.start("merchants", () -> new Merchants(database, new SteadyClock()));
        start(lifecycle, "ingest-token-use", USE_EVERY, new TokenUse(database, merchants)::runOnce, meters);
        var limits = new RateLimits(new SteadyClock());
        var heads = Deadline.start(lifecycle, "heads", patience.head());
        var bodies = Deadline.start(lifecycle, "bodies and answers", patience.exchange());
        var leftovers = Deadline.start(lifecycle, "leftovers", patience.leftover());
        var silence = Deadline.start(lifecycle, "batches", patience.silence());
        var outcomes = new AwaitedOutcomes(database);
        drain.tell(outcomes::end);
        start(lifecycle, "ingest-outcomes", AwaitedOutcomes.LONGEST_PAUSE, outcomes::runOnce, meters);
        var requests = new IngestMeters(meters.registry());
        var read = new ReadPayment(database);
        var batch = new PostBatch(accept, merchants, limits, requests, silence, patience.leftover(), clock);
        drain.tell(batch::endAll);
        var api = new PaymentsApi(new FrontDoor(merchants, limits, new AuthenticationFailures("ingest", meters.registry())),
                new PostPayment(new RequestBody(bodies), accept, outcomes, read, clock),
                batch, new PostCancel(new RequestBody(bodies), new CancelPayment(database)),
                new PostRefund(new RequestBody(bodies), refunds), read,
                new ListPayments(database), new MethodRoutes(new ManageMethods(database, new RequestBody(bodies), settings.psps())),
                new EndpointRoutes(new ManageEndpoints(database, settings.endpoints(), new RequestBody(bodies)), read),
                new FairShares(meters.registry()), new AnswerSender(bodies, leftovers, drain), requests,
                tracing);
        var http = lifecycle.start("http", () -> IngestHttp.start(settings.address(), settings.tls(), api, heads, patience.idle(), drain,
                meters.registry()));
        http.renewedTls().ifPresent(tls -> start(lifecycle, "ingest-tls", RenewedTls.LOOK_EVERY, tls::runOnce, meters));
        return http;
    }

    public boolean awaitShutdown() throws InterruptedException {
        return lifecycle.awaitShutdown();
    }

    /** The port that it listens on. */
    public int port() {
        return http.port();
    }

    /** For tests: nothing is forgotten by this service any more. */
    void stopReaper() {
        reaper.close();
    }

    /** Stops taking requests, answers those under way, and returns when everything is closed. */
    @Override
    public void close() {
        lifecycle.close();
    }
}
