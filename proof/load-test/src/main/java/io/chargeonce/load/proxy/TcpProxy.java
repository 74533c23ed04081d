// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Forwards connections on 127.0.0.1 to a port there, under conditions that may change at any time and hold for the bytes that
 * come from then on. Any thread may call it.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BACKLOG = 512;

    private final int target;
    private final ServerSocket listening;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<byte[]> answerToLose = new AtomicReference<>();
    private final AtomicLong answersLost = new AtomicLong();
    private volatile Conditions conditions = Conditions.fair();

    private TcpProxy(int target, ServerSocket listening) {
        this.target = target;
        this.listening = listening;
    }

    /** @param target the port on 127.0.0.1 to forward to */
    public static TcpProxy start(int target) {
        try {
            var listening = new ServerSocket();
            listening.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), BACKLOG);
            var proxy = new TcpProxy(target, listening);
            Thread.ofVirtual().name("proxy-" + target).start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy to port %d cannot listen: %s".formatted(target, e.getMessage()), e);
        }
    }

    /** Where clients connect to. */
    public int port() {
        return listening.getLocalPort();
    }

    /** From now on; {@link Conditions#fair} ends all faults. Going down also closes what is open. */
    public void set(Conditions next) {
        conditions = next;
        if (next.down()) {
            links.forEach(Link::close);
        }
    }

    Conditions conditions() {
        return conditions;
    }

    /** Resets every open connection at once, with all that is under way in both directions. */
    public void resetAll() {
        links.forEach(Link::reset);
    }

    /**
     * The next answer from the target that contains these bytes never arrives: it is swallowed and its connection reset. With
     * Postgres's completion tag of a COMMIT the commit has happened, and the client cannot know.
     */
    public void loseNextAnswerWith(byte[] bytes) {
        answerToLose.set(bytes.clone());
    }

    /** How many answers were swallowed so far. */
    public long answersLost() {
        return answersLost.get();
    }

    /** True for one caller only, and only if these bytes are part of what just came. */
    boolean isToBeLost(Window window) {
        byte[] wanted = answerToLose.get();
        if (wanted == null || !window.contains(wanted) || !answerToLose.compareAndSet(wanted, null)) {
            return false;
        }
        answersLost.incrementAndGet();
        return true;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                if (conditions.down()) {
                    client.close();
                } else {
                    Thread.ofVirtual().start(() -> connect(client));
                }
            } catch (IOException closedOrRefused) {
                // The listener was closed, or this one client went away; either way there is nothing to forward.
            }
        }
    }

    private void connect(Socket client) {
        try {
            var server = new Socket(InetAddress.getByName("127.0.0.1"), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            var link = new Link(this, client, server);
            links.add(link);
            link.run();
            links.remove(link);
        } catch (IOException targetIsDown) {
            closeQuietly(client);
        }
    }

    static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // Closing is all that was wanted.
        }
    }

    static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        links.forEach(Link::close);
    }
}
