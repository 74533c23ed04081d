// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The webhooks' server asks itself over a connection, as the proxy does. Simulated universes, which have no sockets, never load this. */
final class SelfCheck {

    private static final Duration TO_ANSWER = Duration.ofSeconds(3);
    /** To a GET, which is no webhook. */
    private static final String ANSWER = "HTTP/1.1 405";

    private SelfCheck() {}

    static Optional<String> problem(InetSocketAddress bound, String path) {
        InetAddress host = bound.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound.getAddress();
        try (var socket = new Socket()) {
            socket.setSoTimeout((int) TO_ANSWER.toMillis());
            socket.connect(new InetSocketAddress(host, bound.getPort()), (int) TO_ANSWER.toMillis());
            socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: itself\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(ANSWER.length()), StandardCharsets.US_ASCII);
            return answer.equals(ANSWER) ? Optional.empty() : Optional.of("the server for webhooks of PSPs closed a connection unanswered");
        } catch (IOException e) {
            return Optional.of("the server for webhooks of PSPs does not answer: " + e.getMessage());
        }
    }
}
