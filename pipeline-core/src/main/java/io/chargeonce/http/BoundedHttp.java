// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import com.sun.management.UnixOperatingSystemMXBean;
import io.chargeonce.runtime.Address;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderValues;
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
public final class BoundedHttp implements AutoCloseable {

    static final int LARGEST_HEADERS = 16 * 1024;
    static final int LONGEST_REQUEST_LINE = 4 * 1024;
    /** Many more than are ever busy, so that idle connections lock out no client. */
    private static final int MOST_CONNECTIONS = 20_000;
    /** For Postgres, Kafka, files and what the JVM itself opens. */
    private static final long OTHER_FILES = 1_000;
    private static final int LOOKS_FOR_IDLE = 12;

    private final WebServer server;
    private final Drain drain;
    private final Optional<RenewedTls> renewedTls;

    /**
     * Who listens, and what one request may take.
     *
     * @param service        names the server in messages
     * @param door           names it in meters
     * @param largestPayload in bytes
     * @param idle           between two requests, and from the connection to the first
     */
    public record Limits(String service, String door, long largestPayload, int requestsAtOnce, Duration idle) {}

    /**
     * What clients get that reach no route.
     *
     * @param problems           answers requests that are not HTTP, or that failed in their route
     * @param tooManyConnections the whole answer to one connection too many
     */
    public record Refusals(DirectHandler problems, byte[] tooManyConnections) {}

    private BoundedHttp(WebServer server, Drain drain, Optional<RenewedTls> renewedTls) {
        this.server = server;
        this.drain = drain;
        this.renewedTls = renewedTls;
    }

    /** @throws IllegalStateException if the service cannot listen on the address; its message is one line */
    public static BoundedHttp start(Address address, Optional<TlsFiles> tls, HttpService api, Deadline forHeads, Limits limits,
                                    Refusals refusals, Drain drain, MeterRegistry meters) {
        requireFree(limits, address);
        int mostConnections = mostConnections();
        var heads = new SlowHeads(forHeads);
        var builder = WebServer.builder();
        tls.ifPresent(files -> builder.tls(files.tls()));
        WebServer server = builder
                .host(address.host()).port(address.port())
                .shutdownHook(false)
                .shutdownGracePeriod(Drain.LONGEST)
                .maxPayloadSize(limits.largestPayload())
                .maxTcpConnections(mostConnections)
                .maxConcurrentRequests(limits.requestsAtOnce())
                .idleConnectionTimeout(limits.idle())
                .idleConnectionPeriod(limits.idle().dividedBy(LOOKS_FOR_IDLE))
                .protocolsDiscoverServices(false)
                .addConnectionSelector(new BoundedRequests(Http1ConnectionSelector.builder().config(Http1Config.builder()
                        .maxHeadersSize(LARGEST_HEADERS).maxPrologueLength(LONGEST_REQUEST_LINE)
                        .addReceiveListener(BoundedRequests.listener(heads)).addSendListener(BoundedRequests.ofAnswers()).build())
                        .build(), heads,
                        new Seats(mostConnections / 4 * 3), refusals.tooManyConnections(),
                        meters.counter("chargeonce.door.refused", "door", limits.door(), "reason", "connections_of_address")))
                .directHandlers(handlers -> {
                    for (var event : DirectHandler.EventType.values()) {
                        handlers.addHandler(event, closing(refusals.problems()));
                    }
                })
                .routing(routing -> routing.register(api))
                .build();
        server.start();
        if (!server.isRunning()) {
            throw cannotListen(limits, address, "see the log");
        }
        drain.open();
        return new BoundedHttp(server, drain, tls.map(files -> new RenewedTls(files, server, limits.door(), meters)));
    }

    /** A proxy before us may have seen the end of a refused request elsewhere, so nothing more is read. */
    private static DirectHandler closing(DirectHandler problems) {
        return (request, type, status, headers, message) -> {
            DirectHandler.TransportResponse response = problems.handle(request, type, status, headers, message);
            response.headers().set(HeaderValues.CONNECTION_CLOSE);
            return response;
        };
    }

    /** A process that can open no more files stops listening for good, so connections never use them up. */
    private static int mostConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? Math.clamp(unix.getMaxFileDescriptorCount() - OTHER_FILES, 100, MOST_CONNECTIONS)
                : MOST_CONNECTIONS;
    }

    /** The web server does not throw when it cannot bind: it only logs a stack trace. */
    private static void requireFree(Limits limits, Address address) {
        try (var probe = new ServerSocket()) {
            probe.bind(address.resolve());
        } catch (IOException e) {
            throw cannotListen(limits, address, e.getMessage());
        }
    }

    private static IllegalStateException cannotListen(Limits limits, Address address, String why) {
        return new IllegalStateException("The %s can't listen on %s (%s): end the process that has it, or choose another address"
                .formatted(limits.service(), address, why));
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
