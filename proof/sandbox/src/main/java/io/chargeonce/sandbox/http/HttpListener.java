// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A small HTTP/1.1 server, on 127.0.0.1 unless it is told otherwise, one virtual thread per connection. It is not the JDK's, because
 * a simulator must be able to reset a connection, to break off within a body, and to refuse connections on a port that it will use
 * again. Any thread may call it; the handler runs on many threads at once.
 */
public final class HttpListener implements AutoCloseable {
    private static final int BACKLOG = 1024;

    private final Function<HttpRequest, HttpAnswer> handler;
    private final InetSocketAddress address;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private ServerSocket open;
    private Thread acceptor;

    private HttpListener(ServerSocket open, Function<HttpRequest, HttpAnswer> handler) {
        this.handler = handler;
        this.address = (InetSocketAddress) open.getLocalSocketAddress();
        this.open = open;
        this.acceptor = serve(open);
    }

    /** Listens on the port, or on any free one if it is 0. Throws {@link IllegalStateException} if it is in use. */
    public static HttpListener start(String who, int port, Function<HttpRequest, HttpAnswer> handler) {
        return start(who, here(port), handler);
    }

    /** On 127.0.0.1, which other machines cannot reach. */
    public static InetSocketAddress here(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** The same on an address that other machines may reach. */
    public static HttpListener start(String who, InetSocketAddress address, Function<HttpRequest, HttpAnswer> handler) {
        try {
            return new HttpListener(bind(address), handler);
        } catch (IOException e) {
            throw new IllegalStateException(who + " cannot listen on " + address.getHostString() + ":" + address.getPort() + " ("
                    + e.getMessage()
                    + "); stop what is using the port or choose another", e);
        }
    }

    private static ServerSocket bind(InetSocketAddress address) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address, BACKLOG);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private Thread serve(ServerSocket listening) {
        return Thread.ofVirtual().name("http-" + port()).start(() -> {
            while (!listening.isClosed()) {
                accept(listening);
            }
        });
    }

    private void accept(ServerSocket listening) {
        try {
            Socket socket = listening.accept();
            connections.add(socket);
            Thread.startVirtualThread(() -> {
                new HttpConnection(socket, handler).run();
                connections.remove(socket);
            });
            if (listening.isClosed()) {
                // Accepted while connections were being refused: it must not outlive them.
                socket.close();
            }
        } catch (IOException closed) {
            // Either the listener is closed, which ends the loop, or one client went away while it was accepted.
        }
    }

    public int port() {
        return address.getPort();
    }

    /** Every open connection is cut and new ones are refused, until {@link #acceptConnections}. */
    public synchronized void refuseConnections() {
        close(open);
        // The kernel goes on taking connections until the thread that waits for them has let go of the socket.
        join(acceptor);
        connections.forEach(HttpListener::close);
    }

    /** Listens again on the same port. Does nothing if it does already. */
    public synchronized void acceptConnections() {
        if (!open.isClosed()) {
            return;
        }
        try {
            open = bind(address);
            acceptor = serve(open);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address + " again: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        refuseConnections();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new IllegalStateException("cannot close a socket: " + e.getMessage(), e);
        }
    }
}
