// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import io.chargeonce.runtime.Address;
import io.helidon.http.DirectHandler;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;

/** The web server and its hard limits, which hold for every request. */
public final class IngestHttp implements AutoCloseable {

    static final int LARGEST_HEADERS = 16 * 1024;
    static final int LONGEST_REQUEST_LINE = 4 * 1024;
    /** More than a million lines of the usual length. Single requests have their own, much lower limit. */
    private static final long LARGEST_PAYLOAD = 4L << 30;
    /** Many more than are ever busy, so that idle connections lock out no client. */
    private static final int MOST_CONNECTIONS = 20_000;
    /** For Postgres, Kafka, files and what the JVM itself opens. */
    private static final long OTHER_FILES = 1_000;
    public static final int MOST_REQUESTS_AT_ONCE = 4_000;
    private static final int LOOKS_FOR_IDLE = 12;

    private final WebServer server;
    private final Drain drain;
    private final Optional<RenewedTls> renewedTls;

    private IngestHttp(WebServer server, Drain drain, Optional<RenewedTls> renewedTls) {
        this.server = server;
        this.drain = drain;
        this.renewedTls = renewedTls;
    }

    /** @throws IllegalStateException if the service cannot listen on the address; its message is one line */
    public static IngestHttp start(Address address, Optional<TlsFiles> tls, HttpService api, Deadline forHeads, Duration idle,
                                   Drain drain, MeterRegistry meters) {
        requireFree(address);
        int mostConnections = mostConnections();
        var heads = new SlowHeads(forHeads);
        var problems = new TransportProblems();
        var builder = WebServer.builder();
        tls.ifPresent(files -> builder.tls(files.tls()));
        WebServer server = builder
                .host(address.host()).port(address.port())
                .shutdownHook(false)
                .shutdownGracePeriod(Drain.LONGEST)
                .maxPayloadSize(LARGEST_PAYLOAD)
                .maxTcpConnections(mostConnections)
                .maxConcurrentRequests(MOST_REQUESTS_AT_ONCE)
                .idleConnectionTimeout(idle)
                .idleConnectionPeriod(idle.dividedBy(LOOKS_FOR_IDLE))
                .protocolsDiscoverServices(false)
                .addConnectionSelector(new BoundedRequests(Http1ConnectionSelector.builder().config(Http1Config.builder()
                        .maxHeadersSize(LARGEST_HEADERS).maxPrologueLength(LONGEST_REQUEST_LINE)
                        .addReceiveListener(BoundedRequests.listener(heads)).build()).build(), heads,
                        new Seats(mostConnections / 4 * 3),
                        meters.counter("chargeonce.door.refused", "door", "ingest", "reason", "connections_of_address")))
                .directHandlers(handlers -> {
                    for (var event : DirectHandler.EventType.values()) {
                        handlers.addHandler(event, problems);
                    }
                })
                .routing(routing -> routing.register(api))
                .build();
        server.start();
        if (!server.isRunning()) {
            throw cannotListen(address, "see the log");
        }
        drain.open();
        return new IngestHttp(server, drain, tls.map(files -> new RenewedTls(files, server)));
    }

    /** A process that can open no more files stops listening for good, so connections never use them up. */
    private static int mostConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? Math.clamp(unix.getMaxFileDescriptorCount() - OTHER_FILES, 100, MOST_CONNECTIONS)
                : MOST_CONNECTIONS;
    }

    /** The web server does not throw when it cannot bind: it only logs a stack trace. */
    private static void requireFree(Address address) {
        try (var probe = new ServerSocket()) {
            probe.bind(address.resolve());
        } catch (IOException e) {
            throw cannotListen(address, e.getMessage());
        }
    }

    private static IllegalStateException cannotListen(Address address, String why) {
        return new IllegalStateException("The ingest service can't listen on " + address + " (" + why
                + "): end the process that has it, or choose another address");
    }

    /** Keeps HTTPS in step with its files; empty for plain HTTP. */
    public Optional<RenewedTls> renewedTls() {
        return renewedTls;
    }

    public int port() {
        return server.port();
    }

    /** Takes no more connections, lets the requests under way finish for {@link Drain#LONGEST}, and cuts what is left. */
    @Override
    public void close() {
        drain.begin();
        server.stop();
    }
}
