// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes everything as an honest payment, waits for ever for what does not come, and lets a crowd keep out all others. */
final class GullibleServer implements AutoCloseable {

    private static final int MOST_CONNECTIONS = 40;
    private static final String ID = "pay_" + "a".repeat(26);
    private static final String ANSWER =
            "HTTP/1.1 202 Accepted\r\nX-Planted-By-Attack: 1\r\nConnection: close\r\n\r\n{\"id\":\"%s\",\"checks\":[]}";

    private static final Pattern TRACEPARENT = Pattern.compile("traceparent: ([0-9]{1,19})\\b");

    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    GullibleServer() throws IOException {
        server = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("gullible").start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                boolean isServed = open.size() < MOST_CONNECTIONS;
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket, isServed));
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    /** One that is not served gets no answer for as long as it stays, and counts all the same. */
    private void serve(Socket socket, boolean isServed) {
        try (socket) {
            var in = new BufferedInputStream(socket.getInputStream());
            if (!isServed) {
                in.transferTo(OutputStream.nullOutputStream());
                return;
            }
            var head = new StringBuilder();
            int next;
            while ((head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) && (next = in.read()) >= 0) {
                head.append((char) next);
                if (head.length() > 1 << 18) {
                    break;
                }
            }
            if (head.toString().contains("chunked") || head.toString().contains("Content-Length: 1000\r\n")) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            Matcher echo = TRACEPARENT.matcher(head);
            socket.getOutputStream().write((ANSWER.formatted(ID) + (echo.find() ? echo.group(1) : "")
                    + ANSWER.formatted(ID)).getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // It hung up.
        } finally {
            open.remove(socket);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
