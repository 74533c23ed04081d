// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.runs.LedRuns;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.web.ConsoleHttp;
import io.chargeonce.console.witness.Witness;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.database.PersonsDatabase;
import io.chargeonce.http.BoundedHttp;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Drain;
import io.chargeonce.http.RenewedTls;
import io.chargeonce.kafka.KafkaConnection;
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

/**
 * One console. The witness reads Kafka and shares nothing with the services that it watches. The page reads Postgres as the person who is
 * signed in; the console has no login of its own there. Wiring only. Several may live in one JVM; any thread may close one.
 */
public final class ConsoleService implements AutoCloseable {

    private static final Duration TIME_PER_PART = Duration.ofSeconds(25);
    private static final Duration LOOK_FOR_EXPIRED_EVERY = Duration.ofSeconds(10);

    /** How long it waits for a browser. */
    record Patience(Duration head, Duration exchange, Duration leftover, Duration idle) {

        static final Patience USUAL = new Patience(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(2),
                Duration.ofMinutes(2));
    }

    private final Lifecycle lifecycle;
    private final BoundedHttp http;

    private ConsoleService(Lifecycle lifecycle, BoundedHttp http) {
        this.lifecycle = lifecycle;
        this.http = http;
    }

    /** @throws io.chargeonce.runtime.StartFailed naming the part that could not start; what had started is closed */
    public static ConsoleService start(ConsoleSettings settings, Meters meters) {
        var lifecycle = new Lifecycle("console", TIME_PER_PART);
        PipelineSettings pipeline = settings.pipeline();
        var kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties());
        Witness witness = lifecycle.start("witness", () -> Witness.start(settings.witness(), kafka, new Topics(pipeline.topicPrefix()),
                pipeline.eventSource(), pipeline.tiers(), meters.registry()));
        return start(lifecycle, settings, witness.view(), meters, Patience.USUAL);
    }

    /** With a witness of the caller's. */
    public static ConsoleService start(ConsoleSettings settings, WitnessView witness, Meters meters) {
        return start(settings, witness, meters, Patience.USUAL);
    }

    static ConsoleService start(ConsoleSettings settings, WitnessView witness, Meters meters, Patience patience) {
        return start(new Lifecycle("console", TIME_PER_PART), settings, witness, meters, patience);
    }

    private static ConsoleService start(Lifecycle lifecycle, ConsoleSettings settings, WitnessView witness, Meters meters,
                                        Patience patience) {
        PipelineSettings pipeline = settings.pipeline();
        CertificateExpiry.reportOurs(meters.registry(), pipeline.databaseUrl(), pipeline.kafkaProperties());
        var topics = new Topics(pipeline.topicPrefix());
        settings.tls().ifPresent(files -> lifecycle.start("https", () -> {
            files.tls();
            return () -> {};
        }));
        var drain = new Drain();
        var sessions = lifecycle.start("sessions", () -> new Sessions(
                PersonsDatabase.at(pipeline.databaseUrl(), settings.connections()), topics, pipeline.tiers().size(),
                settings.vault(), () -> KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties()), settings.lifetime(),
                new SteadyClock(), meters.registry()));
        var led = lifecycle.start("runs", LedRuns::new);
        var expiry =
                lifecycle.start("console-sessions", () -> Worker.start("console-sessions", LOOK_FOR_EXPIRED_EVERY, sessions::endExpired)
                        .countedBy(meters.registry()));
        pipeline.admin().ifPresent(address -> lifecycle.start("admin server", () -> AdminServer
                .start(address, pipeline.adminToken(), meters::scrape).countedBy(meters.registry()).ready("requests", drain::problem)
                .live(expiry.name(), expiry::standstill)));
        var waits = new ConsoleHttp.Patience(Deadline.start(lifecycle, "heads", patience.head()),
                Deadline.start(lifecycle, "bodies and answers", patience.exchange()),
                Deadline.start(lifecycle, "leftovers", patience.leftover()),
                patience.idle());
        var http = lifecycle.start("http", () -> ConsoleHttp.start(settings.address(), settings.tls(), settings.proxies(),
                new ConsoleHttp.Shown(sessions, led, witness, topics, pipeline.tiers().size()), waits, drain, InstantSource.system(),
                meters.registry()));
        http.renewedTls().ifPresent(tls -> lifecycle.start("console-tls",
                () -> Worker.start("console-tls", RenewedTls.LOOK_EVERY, tls::runOnce).countedBy(meters.registry())));
        return new ConsoleService(lifecycle, http);
    }

    public boolean awaitShutdown() throws InterruptedException {
        return lifecycle.awaitShutdown();
    }

    /** The port that it listens on. */
    public int port() {
        return http.port();
    }

    /** Ends all streams, stops runs between two batches, and returns when everything is closed. */
    @Override
    public void close() {
        lifecycle.close();
    }
}
