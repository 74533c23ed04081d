// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** One connection, on which anything can be said: no client library would send most of it. For one thread; closed by any. */
final class AttackWire implements AutoCloseable {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int MOST = 1 << 20;

    private final Socket socket;

    private AttackWire(Socket socket) {
        this.socket = socket;
    }

    static AttackWire to(URI address) throws IOException {
        return to(address, new Socket());
    }

    /**
     * From another address of this machine, as far as it has more than one: who fails to say who it is again and again is answered
     * late, and no attacker has to come from the same address.
     */
    static AttackWire fromAnywhereTo(URI address) throws IOException {
        var random = ThreadLocalRandom.current();
        var socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, (byte) random.nextInt(1, 250),
                (byte) random.nextInt(1, 250), (byte) random.nextInt(1, 250)}), 0));
            return to(address, socket);
        } catch (IOException onlyOneAddress) {
            socket.close();
            return to(address);
        }
    }

    private static AttackWire to(URI address, Socket socket) throws IOException {
        try {
            // Looked up once more: what a name stands for may have changed since the addresses were judged.
            InetAddress host = InetAddress.getByName(address.getHost());
            if (!host.isLoopbackAddress()) {
                throw new IOException(host + " is not this machine");
            }
            socket.connect(new InetSocketAddress(host, address.getPort() < 0 ? 80 : address.getPort()), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            return new AttackWire(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    AttackWire send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** The same, but a server that has hung up already is none that refuses to listen. */
    AttackWire offer(String text) {
        try {
            return send(text);
        } catch (IOException hungUp) {
            return this;
        }
    }

    /** The answer to a whole request, for so long at most. */
    Reply answer(Duration longest) throws IOException {
        return read(longest, Reply::isWhole);
    }

    /** What the server says until it closes, for so long at most; it is told that nothing follows. */
    Reply untilClosed(Duration longest) throws IOException {
        try {
            socket.shutdownOutput();
        } catch (IOException hungUp) {
            // What it said before is still to be read.
        }
        return read(longest, text -> false);
    }

    private Reply read(Duration longest, Predicate<String> whole) throws IOException {
        var said = new ByteArrayOutputStream();
        long end = System.nanoTime() + longest.toNanos();
        try {
            InputStream in = socket.getInputStream();
            var buffer = new byte[8192];
            while (said.size() < MOST) {
                socket.setSoTimeout((int) Math.max(1, (end - System.nanoTime()) / 1_000_000));
                int read = in.read(buffer);
                if (read < 0) {
                    return Reply.of(said.toString(StandardCharsets.UTF_8), false);
                }
                said.write(buffer, 0, read);
                if (whole.test(said.toString(StandardCharsets.ISO_8859_1))) {
                    break;
                }
            }
        } catch (SocketTimeoutException late) {
            return Reply.of(said.toString(StandardCharsets.UTF_8), true);
        } catch (IOException reset) {
            // What it said before is what counts.
        }
        return Reply.of(said.toString(StandardCharsets.UTF_8), false);
    }

    /** Whether the server has answered or hung up, within that time. */
    boolean ends(Duration within) {
        try {
            socket.setSoTimeout((int) Math.max(1, within.toMillis()));
            socket.getInputStream().read();
            return true;
        } catch (SocketTimeoutException waits) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException gone) {
            // It is closed either way.
        }
    }
}
