// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hostile client costs little, and the others are served. */
class HostileClientsTest {

    private static final String HEAD = "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\nIdempotency-Key: k\r\n"
            + "Content-Type: %s\r\n";
    private static final int IDLE = 10_000;
    private static IngestWorld world;

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @AfterEach
    void others_are_served() {
        assertThat(world.pay("key-" + UUID.randomUUID(), BODY).statusCode()).isEqualTo(202);
    }

    private static Socket connect() throws IOException {
        var socket = new Socket("127.0.0.1", world.service.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** All that the server says until it closes; a reset after its last word is a close too. */
    private static String untilClosed(Socket socket) throws IOException {
        var said = new ByteArrayOutputStream();
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(said);
        } catch (SocketException reset) {
            // What it said before is what counts.
        }
        return said.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void a_body_without_end_is_cut_off() throws IOException {
        try (var socket = connect()) {
            send(socket, HEAD.formatted("/v1/payments", "application/json") + "Transfer-Encoding: chunked\r\n\r\n");
            String chunk = "8000\r\n" + " ".repeat(0x8000) + "\r\n";
            long sent = 0;
            try {
                while (sent < 1L << 30) {
                    send(socket, chunk);
                    sent += chunk.length();
                }
            } catch (SocketException cutOff) {
                // That is what is wanted.
            }
            assertThat(sent).isLessThan(64L << 20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/payments", "/v1/payments/batch"})
    void compressed_bodies_are_refused_unread(String path) throws IOException {
        var bomb = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bomb)) {
            gzip.write(new byte[10 << 20]);
        }
        try (var socket = connect()) {
            String type = path.endsWith("batch") ? "application/x-ndjson" : "application/json";
            send(socket, HEAD.formatted(path, type) + "Content-Encoding: gzip\r\nContent-Length: " + bomb.size() + "\r\n\r\n");
            try {
                socket.getOutputStream().write(bomb.toByteArray());
            } catch (SocketException refusedAlready) {
                // The answer may come before the body is through.
            }
            assertThat(untilClosed(socket)).startsWith("HTTP/1.1 400 ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 3\r\n", "Content-Length: +2\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: x\r\nContent-Length: 2\r\n"})
    void what_a_proxy_might_read_otherwise_is_not_accepted(String headers) throws IOException {
        try (var socket = connect()) {
            send(socket, HEAD.formatted("/v1/payments", "application/json") + headers + "Connection: close\r\n\r\n{}");
            socket.shutdownOutput();

            assertThat(untilClosed(socket)).doesNotContain("HTTP/1.1 2", "HTTP/1.1 500");
        }
    }

    @Test
    void thousands_of_headers_are_refused() throws IOException {
        try (var socket = connect()) {
            send(socket, "GET / HTTP/1.1\r\nHost: x\r\n" + "a: b\r\n".repeat(5_000) + "\r\n");

            assertThat(untilClosed(socket)).startsWith("HTTP/1.1 4");
        }
    }

    @Test
    void ten_thousand_idle_connections_lock_nobody_out_and_cost_little_memory() throws IOException {
        long before = usedMemory();
        // A process of their own: this one may not open so many files on both ends.
        Process clients = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                IdleClients.class.getName(), "" + world.service.port(), "" + IDLE).redirectErrorStream(true).start();
        try (var said = clients.inputReader()) {
            assertThat(said.lines().filter(IdleClients.READY::equals).findFirst()).isPresent();
            assertThat(world.pay("key-" + UUID.randomUUID(), BODY).statusCode()).isEqualTo(202);
            assertThat((usedMemory() - before) / IDLE).isLessThan(32 * 1024);
        } finally {
            clients.destroy();
            clients.onExit().join();
        }
    }

    private static long usedMemory() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
