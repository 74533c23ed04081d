// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that need not speak HTTP. It counts its connections, and what was sent on them. */
final class RawServer implements AutoCloseable {

    /** What a connection gets, after its first bytes have come. */
    interface Behaviour {
        void answer(OutputStream out) throws IOException;
    }

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger requests = new AtomicInteger();
    private final ServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    RawServer(Behaviour behaviour) {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(() -> {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    connections.incrementAndGet();
                    threads.execute(() -> serve(socket, behaviour));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    private void serve(Socket socket, Behaviour behaviour) {
        try (socket) {
            if (socket.getInputStream().read(new byte[8_192]) > 0) {
                requests.incrementAndGet();
                behaviour.answer(socket.getOutputStream());
            }
        } catch (IOException gone) {
            // The client has had enough.
        }
    }

    /** These texts, and the last one again and again. */
    static Behaviour forEver(String... texts) {
        return out -> {
            for (int i = 0; i < texts.length - 1; i++) {
                out.write(texts[i].getBytes(StandardCharsets.ISO_8859_1));
            }
            while (true) {
                out.write(texts[texts.length - 1].getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
            }
        };
    }

    /** This text, and the end of the connection. */
    static Behaviour once(String text) {
        return out -> out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
