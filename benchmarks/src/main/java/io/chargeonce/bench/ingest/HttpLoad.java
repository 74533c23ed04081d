package io.chargeonce.bench.ingest;

import io.chargeonce.bench.measure.Latencies;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A closed loop of so many connections, each with one request under way, over plain sockets: the generator shares the cores
 * with what it measures, so it does as little as can be. For one thread.
 */
final class HttpLoad {

    /** @param fresh payments accepted that had not been before, which the database must have exactly */
    record Outcome(double acceptedPerSecond, double p50, double p99, int fresh, int refused) {}

    private static final String BODY = """
            {"amount":1299,"currency":"EUR","payment_method":"pm_card_visa","customer":"cus_%1$s","reference":"order-%1$s"}""";

    private final int port;
    private final int connections;
    private final int repeatedPercent;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger highestAccepted = new AtomicInteger();
    private final AtomicInteger fresh = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** @param repeatedPercent of the requests that send an accepted one once more */
    HttpLoad(int port, int connections, int repeatedPercent) {
        this.port = port;
        this.connections = connections;
        this.repeatedPercent = repeatedPercent;
    }

    Outcome run(Duration warmUp, Duration measured) throws InterruptedException {
        long from = System.nanoTime() + warmUp.toNanos();
        long to = from + measured.toNanos();
        var all = new ArrayList<Latencies>();
        var done = new CountDownLatch(connections);
        for (int i = 0; i < connections; i++) {
            var mine = new Latencies();
            all.add(mine);
            Thread.ofVirtual().start(() -> {
                try {
                    send(from, to, mine);
                } catch (IOException e) {
                    refused.incrementAndGet();
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        var together = new Latencies();
        all.forEach(together::addAll);
        return new Outcome(together.size() * 1e9 / measured.toNanos(), together.millisAt(50), together.millisAt(99), fresh.get(), refused.get());
    }

    private void send(long from, long to, Latencies latencies) throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            var out = socket.getOutputStream();
            var in = new BufferedInputStream(socket.getInputStream(), 4096);
            long start = System.nanoTime();
            while (start < to) {
                boolean repeat = ThreadLocalRandom.current().nextInt(100) < repeatedPercent && highestAccepted.get() > 0;
                int number = repeat ? highestAccepted.get() : next.incrementAndGet();
                out.write(request("checkout-2026-%09d".formatted(number)));
                boolean accepted = readAnswer(in) == 202;
                long end = System.nanoTime();
                if (!accepted) {
                    refused.incrementAndGet();
                } else {
                    if (!repeat) {
                        fresh.incrementAndGet();
                        highestAccepted.set(number);
                    }
                    if (start >= from && end <= to) {
                        latencies.add(end - start);
                    }
                }
                start = end;
            }
        }
    }

    private static byte[] request(String key) {
        String body = BODY.formatted(key);
        return ("POST /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test_bench\r\nIdempotency-Key: " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the status, with the whole answer read. */
    private static int readAnswer(InputStream in) throws IOException {
        int status = Integer.parseInt(line(in).split(" ")[1]);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        in.skipNBytes(length);
        return status;
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the server hung up");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
