// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.HttpPsp;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.ingest.PaymentPost;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What is no part of a contestant, as a process of its own: who sends the payments, and the PSP behind HTTP. So their processor time is not
 * the contestant's. It serves one turn after the other, so that it is warm in each. It takes its orders from its standard input, a line
 * each. For one thread.
 */
final class Outside implements AutoCloseable {

    private static final int CONNECTIONS = 64;
    private static final String LEDGER_ENDS = ".";

    private final Process process;
    private final PrintWriter orders;
    private final BufferedReader answers;
    private final int pspPort;

    private Outside(Process process) throws IOException {
        this.process = process;
        this.orders = new PrintWriter(process.outputWriter(StandardCharsets.US_ASCII), true);
        this.answers = process.inputReader(StandardCharsets.US_ASCII);
        this.pspPort = Integer.parseInt(answer());
    }

    /** With a PSP that executes each key once, and takes so long for each call. */
    static Outside start(Duration pspLatency) throws IOException {
        // Its standard output is for its answers, and a log would cost processor time.
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dlogback.configurationFile=logback-none.xml", "-cp", System.getProperty("java.class.path"), Outside.class.getName(),
                "" + pspLatency.toMillis())
                .redirectError(Redirect.INHERIT).start();
        try {
            return new Outside(process);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private String answer() throws IOException {
        return Optional.ofNullable(answers.readLine()).orElseThrow(() -> new IOException("the process of load and PSP has ended"));
    }

    int pspPort() {
        return pspPort;
    }

    /**
     * Payments with the keys of {@link Payments}, from then on. The PSP's ledger begins anew, and nobody sends for the turn before.
     *
     * @param perSecond the pace of an open loop; without it a payment is sent for each one that was {@link #let let in}
     */
    void send(int port, int count, Instant start, Optional<Double> perSecond) {
        orders.println("send %d %d %s %s".formatted(port, count, start, perSecond.map(Object::toString).orElse("0")));
    }

    /** So many more payments may be under way. */
    void let(int more) {
        orders.println("let " + more);
    }

    /** Of load and PSP together, by the process accounting. */
    long cpuMicros() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1_000;
    }

    /** Which payments the PSP has executed, by their keys. */
    void readLedger(Map<String, String> executed) throws IOException {
        orders.println("ledger");
        for (String line = answer(); !line.equals(LEDGER_ENDS); line = answer()) {
            String[] each = line.split(" ");
            executed.put(each[0], each[1]);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Arguments: milliseconds that a call of the PSP takes. Ends with its standard input. */
    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.ROOT);
        var stub = new StubPsp(Duration.ofMillis(Long.parseLong(arguments[0])), 0);
        var server = HttpPsp.serve(stub);
        System.out.println(server.port());
        System.out.flush();
        var room = new Semaphore(0);
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ");
            switch (words[0]) {
                case "send" -> {
                    stub.executed().clear();
                    room = new Semaphore(0);
                    send(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Instant.parse(words[3]), Double.parseDouble(words[4]),
                            room);
                }
                case "let" -> room.release(Integer.parseInt(words[1]));
                case "ledger" -> {
                    stub.executed().forEach((key, payment) -> System.out.println(key + " " + payment));
                    System.out.println(LEDGER_ENDS);
                    System.out.flush();
                }
                default -> throw new IllegalArgumentException("Bug! There is no order '%s'".formatted(order));
            }
        }
        server.stop();
    }

    private static void send(int port, int count, Instant at, double perSecond, Semaphore room) {
        long start = System.nanoTime() + Duration.between(Instant.now(), at).toNanos();
        if (perSecond > 0) {
            room.release(count);
        }
        var next = new AtomicInteger();
        for (int i = 0; i < CONNECTIONS; i++) {
            Thread.ofVirtual().start(() -> send(port, next, count, room,
                    number -> start + (perSecond > 0 ? (long) (number * 1e9 / perSecond) : 0)));
        }
    }

    /** When a payment is to be sent, by {@link System#nanoTime()}. */
    private interface Timetable {
        long of(int number);
    }

    private static void send(int port, AtomicInteger next, int count, Semaphore room, Timetable timetable) {
        try (var post = new PaymentPost(port)) {
            for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                room.acquireUninterruptibly();
                LockSupport.parkNanos(Math.max(0, timetable.of(number) - System.nanoTime()));
                int status = post.send(Payments.key(number));
                if (status != 202) {
                    throw new IllegalStateException("payment %d was answered with %d".formatted(number, status));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("a connection broke", e);
        }
    }
}
