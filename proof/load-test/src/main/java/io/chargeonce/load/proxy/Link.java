// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;

/** A client's connection and the one to the target; a virtual thread per direction. */
final class Link implements Runnable {

    private static final int PIECE = 8 * 1024;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;

    Link(TcpProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
    }

    /** Returns when both directions have ended. */
    @Override
    public void run() {
        Thread up = Thread.ofVirtual().start(() -> forward(client, server, false));
        forward(server, client, true);
        try {
            up.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    private void forward(Socket from, Socket to, boolean answers) {
        var window = new Window();
        byte[] piece = new byte[PIECE];
        long forwarded = 0;
        try {
            for (int length = from.getInputStream().read(piece); length >= 0; length = from.getInputStream().read(piece)) {
                // Cut here and not by reading less: who waits to read does so by the conditions of before.
                for (int begin = 0, end; begin < length; begin = end) {
                    end = Math.min(length, begin + proxy.conditions().slice().orElse(PIECE));
                    forwarded += end - begin;
                    if (!pass(Arrays.copyOfRange(piece, begin, end), forwarded, window, to, answers)) {
                        reset();
                        return;
                    }
                }
            }
            proxy.conditions().closeDelay().ifPresent(TcpProxy::pause);
            to.shutdownOutput();
        } catch (IOException oneSideIsGone) {
            close();
        }
    }

    /** @return false if this is the end of the connection */
    private boolean pass(byte[] slice, long forwarded, Window window, Socket to, boolean answers) throws IOException {
        window.add(slice);
        if (answers && proxy.isToBeLost(window)) {
            return false;
        }
        hold(slice.length, answers);
        var limit = proxy.conditions().limit();
        if (limit.isPresent() && forwarded > limit.getAsLong()) {
            return false;
        }
        to.getOutputStream().write(slice);
        return true;
    }

    private void hold(int length, boolean answers) throws SocketException {
        while (proxy.conditions().stalled().has(answers) && !client.isClosed()) {
            TcpProxy.pause(LOOK_AGAIN);
        }
        Conditions now = proxy.conditions();
        if (now.latency().isPositive()) {
            TcpProxy.pause(now.latency());
        }
        if (now.bytesPerSecond().isPresent()) {
            TcpProxy.pause(Duration.ofNanos(length * 1_000_000_000L / now.bytesPerSecond().getAsLong()));
        }
        if (client.isClosed()) {
            throw new SocketException("closed while held back");
        }
    }

    void reset() {
        try {
            // Closing without lingering sends a reset instead of an end.
            client.setSoLinger(true, 0);
            server.setSoLinger(true, 0);
        } catch (SocketException alreadyGone) {
            // Then it needs no reset.
        }
        close();
    }

    void close() {
        TcpProxy.closeQuietly(client);
        TcpProxy.closeQuietly(server);
    }
}
