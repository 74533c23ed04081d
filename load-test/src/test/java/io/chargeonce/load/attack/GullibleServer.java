package io.chargeonce.load.attack;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Takes everything as an honest payment, waits for ever for what does not come, and lets a crowd keep out all others. */
final class GullibleServer implements AutoCloseable {

    private static final int MOST_CONNECTIONS = 40;
    private static final String ID = "pay_" + "a".repeat(26);
    private static final String ANSWER = "HTTP/1.1 202 Accepted\r\nX-Planted-By-Attack: 1\r\nConnection: close\r\n\r\n{\"id\":\"%s\",\"checks\":[]}";

    private final ServerSocket server;
    private final java.util.Set<Socket> open = java.util.concurrent.ConcurrentHashMap.newKeySet();

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
                if (open.size() < MOST_CONNECTIONS) {
                    open.add(socket);
                    Thread.ofVirtual().start(() -> serve(socket));
                }
                // Else it is left alone, open, with nobody who listens.
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new java.io.BufferedInputStream(socket.getInputStream());
            var head = new StringBuilder();
            int next;
            while (!head.toString().endsWith("\r\n\r\n") && (next = in.read()) >= 0) {
                head.append((char) next);
                if (head.length() > 1 << 18) {
                    break;
                }
            }
            if (head.toString().contains("chunked") || head.toString().contains("Content-Length: 1000\r\n")) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            String echo = head.toString().replaceAll("(?s).*traceparent: ([0-9]+).*", "$1");
            socket.getOutputStream().write((ANSWER.formatted(ID) + (echo.length() < 20 ? echo : "")
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
