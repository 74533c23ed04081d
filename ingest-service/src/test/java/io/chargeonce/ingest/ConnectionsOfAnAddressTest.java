// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process that may open few files holds few connections, and one address cannot have them all. */
class ConnectionsOfAnAddressTest {

    private static final int FILES = 1_200;
    private static final int CONNECTIONS = FILES - 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<Socket> held = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : held) {
            socket.close();
        }
    }

    private static Socket connectFrom(String address, int port) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String ask(Socket socket) throws IOException {
        socket.getOutputStream().write("GET /none HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        var answer = new StringBuilder();
        for (int c = socket.getInputStream().read(); c >= 0 && answer.indexOf("\"detail\"") < 0; c = socket.getInputStream().read()) {
            answer.append((char) c);
        }
        return answer.toString();
    }

    @Test
    void one_address_can_hold_three_quarters_of_them_and_others_are_served() throws IOException {
        try (var world = IngestWorld.start(); var process = world.startProcessWithFiles(FILES)) {
            for (int i = 0; i < CONNECTIONS / 4 * 3; i++) {
                held.add(connectFrom("127.0.0.2", process.port()));
            }
            Awaitility.await().atMost(PATIENCE).until(() -> isRefused(process.port()) || !holdsOneMore(process.port()));
            try (var other = connectFrom("127.0.0.3", process.port())) {
                assertThat(ask(other)).startsWith("HTTP/1.1 404 ");
            }
            held.removeLast().close();
            Awaitility.await().atMost(PATIENCE).until(() -> !isRefused(process.port()));
        }
    }

    /** On a busy machine the first of them may have been silent for too long, and closed, before the last one has come. */
    private boolean holdsOneMore(int port) throws IOException {
        return held.add(connectFrom("127.0.0.2", port));
    }

    private static boolean isRefused(int port) throws IOException {
        try (var oneMore = connectFrom("127.0.0.2", port)) {
            String answer = ask(oneMore);
            if (answer.startsWith("HTTP/1.1 503 ")) {
                assertThat(answer).contains("Retry-After: 1\r\n", "urn:chargeonce:problem:too-many-connections");
            }
            return !answer.startsWith("HTTP/1.1 404 ");
        } catch (SocketException refusedAndClosed) {
            return true;
        }
    }
}
