// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.outsiders;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.load.outside.HookEndpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Merchants' servers: real HTTP on 127.0.0.1. They keep what they get, and behave as they are told. Any thread. */
final class MerchantServers implements AutoCloseable {

    enum Mood {
        WELL(204), SAYS_500(500), SAYS_429(429), SAYS_410(410), REDIRECTS(307), SLOW(200), HANGS(200), BREAKS_OFF(0),
        /** Says that it has the request, and forgets it. */
        FORGETS(200);

        final int status;

        Mood(int status) {
            this.status = status;
        }
    }

    private static final int SLOW_MILLIS = 700;
    private static final int LONGEST_HANG_SECONDS = 20;
    private static final String SECONDS_TO_WAIT = "1";

    private final HttpServer server;
    private final Map<String, Mood> moods = new ConcurrentHashMap<>();
    private final List<ArrivalEvidence.Webhook> kept = new CopyOnWriteArrayList<>();
    private final Set<String> forgotten = ConcurrentHashMap.newKeySet();
    private final CountDownLatch end = new CountDownLatch(1);

    MerchantServers(List<HookEndpoint> endpoints) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        endpoints.forEach(endpoint -> server.createContext("/" + endpoint.name(), exchange -> {
            try (exchange) {
                take(endpoint, exchange);
            }
        }));
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    List<ArrivalEvidence.Webhook> kept() {
        return List.copyOf(kept);
    }

    /** What they have said they have, and have not: their merchants ask for it once more. */
    Set<String> forgotten() {
        return Set.copyOf(forgotten);
    }

    void mood(HookEndpoint endpoint, Mood mood) {
        moods.put(endpoint.id(), mood);
    }

    void allWell() {
        moods.clear();
    }

    private void take(HookEndpoint endpoint, HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        ArrivalEvidence.Webhook got = endpoint.read(name -> Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)), body);
        kept.add(got);
        Mood mood = moods.getOrDefault(endpoint.id(), Mood.WELL);
        switch (mood) {
            case SLOW -> pause(SLOW_MILLIS);
            case HANGS -> pause(TimeUnit.SECONDS.toMillis(LONGEST_HANG_SECONDS));
            case SAYS_429 -> exchange.getResponseHeaders().set("Retry-After", SECONDS_TO_WAIT);
            case REDIRECTS -> exchange.getResponseHeaders().set("Location", "http://169.254.169.254/");
            case WELL, SAYS_500, SAYS_410, BREAKS_OFF, FORGETS -> {
            }
        }
        if (mood == Mood.BREAKS_OFF) {
            return;
        }
        if (mood == Mood.FORGETS) {
            forgotten.add(got.id());
        } else if (mood.status < 300) {
            forgotten.remove(got.id());
            kept.add(new ArrivalEvidence.Webhook(got.endpoint(), got.id(), got.body(), got.signed(), true));
        }
        exchange.sendResponseHeaders(mood.status, -1);
    }

    private void pause(long millis) {
        try {
            end.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
    }
}
