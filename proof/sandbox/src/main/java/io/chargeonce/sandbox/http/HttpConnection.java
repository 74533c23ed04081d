// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one connection, request after request, until either side ends it. Runs on a thread of its own. */
final class HttpConnection implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);
    private static final int IDLE_MILLISECONDS = 300_000;

    private final Socket socket;
    private final Function<HttpRequest, HttpAnswer> handler;

    HttpConnection(Socket socket, Function<HttpRequest, HttpAnswer> handler) {
        this.socket = socket;
        this.handler = handler;
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(IDLE_MILLISECONDS);
            OutputStream out = socket.getOutputStream();
            HttpReader reader = new HttpReader(new BufferedInputStream(socket.getInputStream()), out);
            Optional<HttpRequest> request = reader.next();
            while (request.isPresent() && deliver(handler.apply(request.get()), out) && staysOpen(request.get())) {
                request = reader.next();
            }
        } catch (IOException gone) {
            LOG.debug("connection ended: {}", gone.getMessage());
        } catch (RuntimeException bug) {
            LOG.error("Bug! The connection is closed without an answer", bug);
        }
    }

    private static boolean staysOpen(HttpRequest request) {
        return !request.headers().getOrDefault("connection", "").equalsIgnoreCase("close");
    }

    /** True if another request may follow on this connection. */
    private boolean deliver(HttpAnswer answer, OutputStream out) throws IOException {
        return switch (answer) {
            case HttpAnswer.Full full -> {
                write(full, full.body().length, out);
                yield true;
            }
            case HttpAnswer.Truncated(HttpAnswer.Full whole) -> {
                write(whole, whole.body().length / 2, out);
                yield false;
            }
            case HttpAnswer.Closed() -> false;
            case HttpAnswer.Reset() -> {
                // Closing with a linger of zero sends RST instead of FIN.
                socket.setSoLinger(true, 0);
                yield false;
            }
        };
    }

    /** One write for head and body: two would meet Nagle's algorithm and delayed acknowledgements. */
    private static void write(HttpAnswer.Full answer, int bodyBytes, OutputStream out) throws IOException {
        StringBuilder head = new StringBuilder(256).append("HTTP/1.1 ").append(answer.status()).append(" \r\n");
        answer.headers().forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(answer.body().length).append("\r\n\r\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(head.length() + bodyBytes);
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        bytes.write(answer.body(), 0, bodyBytes);
        out.write(bytes.toByteArray());
        out.flush();
    }
}
