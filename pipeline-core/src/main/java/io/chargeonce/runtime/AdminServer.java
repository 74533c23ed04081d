// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.BindException;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers {@code /health/live} (is the process worth keeping?), {@code /health/ready} (can it work now?) and {@code /metrics}, each request
 * on its own platform thread: one of the checks is whether virtual threads still run. It serves at most forty requests at a time; a client
 * that is slow to send its request or to read its answer makes room for the next. If a token is set, a client that does not send it as
 * {@code Authorization: Bearer} learns only whether the process is up, which probes need. Any thread may add checks and close it.
 */
public final class AdminServer implements AutoCloseable {
    private final HttpServer server;
    private final Optional<Secret> token;
    /** Scrapers and probes send their request at once and read the answer at once. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int WAITING_AT_ONCE = 20;
    private static final int ANSWERED_AT_ONCE = 20;

    private final Arrivals arrivals;
    private final Semaphore places = new Semaphore(ANSWERED_AT_ONCE);
    private final Map<String, HealthCheck> live = new ConcurrentHashMap<>();
    private final Map<String, HealthCheck> ready = new ConcurrentHashMap<>();

    private final Address address;
    private final InstantSource clock;
    private volatile Optional<AuthenticationFailures> failures = Optional.empty();
    private volatile Optional<Worker> readiness = Optional.empty();

    private record Answer(int status, String contentType, String body) {}

    private AdminServer(Address address, Optional<Secret> token, Duration patience, InstantSource clock) {
        this.clock = clock;
        this.arrivals = Arrivals.onPlatformThreads("admin-", patience, WAITING_AT_ONCE);
        this.address = address;
        this.server = bind(address);
        this.token = token;
    }

    /**
     * @param token   the token that details require; empty shows them to all
     * @param metrics the content of {@code /metrics}, in Prometheus's format
     * @throws IllegalStateException if the address cannot be listened on; its message is one line
     */
    public static AdminServer start(Address address, Optional<Secret> token, Supplier<String> metrics) {
        return start(address, token, metrics, new SteadyClock());
    }

    static AdminServer start(Address address, Optional<Secret> token, Supplier<String> metrics, InstantSource clock) {
        return start(address, token, metrics, clock, PATIENCE);
    }

    static AdminServer start(Address address, Optional<Secret> token, Supplier<String> metrics, InstantSource clock, Duration patience) {
        AdminServer admin = new AdminServer(address, token, patience, clock).live("virtual threads", new VirtualThreadsMove(clock))
                .live("memory", new HeapHasRoom(HeapHasRoom::inUse, System::gc, clock));
        admin.serve("/health/live", trusted -> health(admin.live, trusted));
        admin.serve("/health/ready", trusted -> health(admin.ready, trusted));
        admin.serve("/metrics", trusted -> trusted ? new Answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics.get())
                : new Answer(401, "text/plain; charset=utf-8",
                        "Send the token of CHARGEONCE_ADMIN_TOKEN_FILE as Authorization: Bearer; without one, ask for localhost\n"));
        admin.server.setExecutor(admin.arrivals);
        admin.server.start();
        return admin;
    }

    /** A failing check means that the process is dead, and its supervisor will restart it. */
    public AdminServer live(String name, HealthCheck check) {
        live.put(name, check);
        return this;
    }

    /** A failing check means that the process cannot work for now. */
    public AdminServer ready(String name, HealthCheck check) {
        ready.put(name, check);
        return this;
    }

    /** Counts and logs wrong tokens, answers them later and later, and shows readiness as a gauge. */
    public AdminServer countedBy(MeterRegistry meters) {
        failures = Optional.of(new AuthenticationFailures("admin", meters));
        readiness = Optional.of(Worker.start("readiness", ReadyGauge.EVERY, new ReadyGauge(ready, clock, meters)::runOnce));
        return this;
    }

    /** A worker that has ended means that the process is dead; one whose passes fail for long means that it cannot work. */
    public AdminServer watch(Worker worker) {
        return live(worker.name(), worker::standstill).ready(worker.name(), worker::problem);
    }

    /** The port it listens on, also if any free port was requested. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        arrivals.close();
        readiness.ifPresent(Worker::close);
    }

    private static HttpServer bind(Address address) {
        Arrivals.boundConnections();
        try {
            return HttpServer.create(address.resolve(), 0);
        } catch (BindException e) {
            throw new IllegalStateException("The admin server can't listen on " + address + " (" + e.getMessage()
                    + "): end the process that uses it, or choose another address", e);
        } catch (SocketException | UnresolvedAddressException e) {
            throw new IllegalStateException("The admin server can't listen on " + address + ": there is no such address here", e);
        } catch (IOException e) {
            throw new IllegalStateException("The admin server can't listen on " + address + ": " + e.getMessage(), e);
        }
    }

    private void serve(String path, Function<Boolean, Answer> answer) {
        server.createContext(path, exchange -> {
            arrivals.arrived();
            // A context also receives every path that starts with its own, and those that are spelled in another way.
            if (!exchange.getRequestURI().getRawPath().equals(path)) {
                send(exchange, new Answer(404, "text/plain; charset=utf-8", "Not found\n"));
            } else if (!exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET");
                send(exchange, new Answer(405, "text/plain; charset=utf-8", "Only GET\n"));
            } else {
                boolean trusted = isTrusted(exchange);
                Answer it = answerWithinLimit(() -> answer.apply(trusted));
                // A probe needs no token, so it is no failure.
                if (!trusted && (it.status == 401 || exchange.getRequestHeaders().containsKey("Authorization"))) {
                    failures.ifPresent(all -> all.failed("unauthenticated", exchange.getRemoteAddress().getAddress(), Optional.empty()));
                }
                send(exchange, it);
            }
        });
    }

    private Answer answerWithinLimit(Supplier<Answer> answer) {
        if (!places.tryAcquire()) {
            return new Answer(503, "text/plain; charset=utf-8", "Too many requests at once\n");
        }
        try {
            return answer.get();
        } finally {
            places.release();
        }
    }

    private boolean isTrusted(HttpExchange exchange) {
        if (token.isEmpty()) {
            return address.isMeantBy(String.valueOf(exchange.getRequestHeaders().getFirst("Host")));
        }
        String sent = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        return MessageDigest.isEqual(("Bearer " + token.get().value()).getBytes(StandardCharsets.UTF_8),
                sent.getBytes(StandardCharsets.UTF_8));
    }

    private static Answer health(Map<String, HealthCheck> checks, boolean trusted) {
        HealthReport report = HealthReport.of(checks);
        return new Answer(report.isUp() ? 200 : 503, "application/json", trusted ? report.toJson() : report.withoutChecks());
    }

    private void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.contentType());
        Arrivals.endConnection(exchange);
        if (answer.status() == 503) {
            exchange.getResponseHeaders().set("Retry-After", "1");
        }
        arrivals.awaitClient();
        try (exchange) {
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /**
     * Detects that the heap stays full whatever is collected: then one thread after another fails. A single allocation that failed is no
     * reason to end, because it left room. Any thread.
     */
    static final class HeapHasRoom implements HealthCheck {
        private static final double FULL = 0.98;
        private static final Duration TOO_LONG = Duration.ofMinutes(1);

        private final DoubleSupplier inUse;
        private final Runnable collect;
        private final InstantSource clock;
        private final AtomicReference<Optional<Instant>> fullSince = new AtomicReference<>(Optional.empty());

        /**
         * @param inUse   the share of the heap that was still in use after the last collection
         * @param collect begins another collection: the last one may be long ago
         */
        HeapHasRoom(DoubleSupplier inUse, Runnable collect, InstantSource clock) {
            this.inUse = inUse;
            this.collect = collect;
            this.clock = clock;
        }

        @Override
        public Optional<String> problem() {
            if (inUse.getAsDouble() >= FULL) {
                collect.run();
            }
            if (inUse.getAsDouble() < FULL) {
                fullSince.set(Optional.empty());
                return Optional.empty();
            }
            Instant now = clock.instant();
            return fullSince.updateAndGet(since -> since.or(() -> Optional.of(now)))
                    .filter(since -> since.plus(TOO_LONG).isBefore(now)).map(since -> "the heap has been full since " + since);
        }

        /** Of the fullest part that holds what lives long. */
        static double inUse() {
            return ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(part -> part.getType() == MemoryType.HEAP && part.isCollectionUsageThresholdSupported()
                            && part.isUsageThresholdSupported())
                    .map(MemoryPoolMXBean::getCollectionUsage).filter(usage -> usage.getMax() > 0)
                    .mapToDouble(usage -> (double) usage.getUsed() / usage.getMax()).max().orElse(0);
        }
    }
}
