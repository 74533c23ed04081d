// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a client offers when it begins TLS (RFC 8446, 4.1.2).
 *
 * @param suites   by their numbers
 * @param versions by their numbers
 */
record ClientHello(List<Integer> suites, List<Integer> versions) {

    private static final int HANDSHAKE = 22;
    private static final int SUPPORTED_VERSIONS = 43;
    /** A length, and the number that stands for "TLS?". */
    private static final int POSTGRES_ASKS = 8;

    /** Takes one connection after the other, and keeps what the first that began TLS offered. */
    static final class Listener implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final CompletableFuture<ClientHello> heard = new CompletableFuture<>();

        /** @param postgres whether the client asks first whether there is TLS */
        Listener(boolean postgres) throws IOException {
            Thread.ofVirtual().start(() -> {
                while (!socket.isClosed()) {
                    try (Socket client = socket.accept()) {
                        heard.complete(read(client, postgres));
                    } catch (IOException | RuntimeException nextOne) {
                        // The client goes away, or the test ends.
                    }
                }
            });
        }

        int port() {
            return socket.getLocalPort();
        }

        CompletableFuture<ClientHello> heard() {
            return heard;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static ClientHello read(Socket client, boolean postgres) throws IOException {
        InputStream in = client.getInputStream();
        if (postgres) {
            in.readNBytes(POSTGRES_ASKS);
            OutputStream out = client.getOutputStream();
            out.write('S');
            out.flush();
        }
        var record = new DataInputStream(in);
        if (record.readUnsignedByte() != HANDSHAKE) {
            throw new IOException("no handshake");
        }
        record.readUnsignedShort();
        return parse(ByteBuffer.wrap(record.readNBytes(record.readUnsignedShort())));
    }

    private static ClientHello parse(ByteBuffer hello) {
        // Kind and length of the message, version, random bytes, session.
        hello.position(4 + 2 + 32);
        hello.position(hello.position() + 1 + hello.get(hello.position()));
        List<Integer> suites = numbers(hello, hello.getShort());
        hello.position(hello.position() + 1 + hello.get(hello.position()));
        hello.getShort();
        List<Integer> versions = List.of();
        while (hello.hasRemaining()) {
            int kind = hello.getShort();
            int length = hello.getShort();
            if (kind == SUPPORTED_VERSIONS) {
                versions = numbers(hello, hello.get());
            } else {
                hello.position(hello.position() + length);
            }
        }
        return new ClientHello(suites, versions);
    }

    private static List<Integer> numbers(ByteBuffer from, int bytes) {
        var numbers = new ArrayList<Integer>();
        for (int i = 0; i < bytes / 2; i++) {
            numbers.add(Short.toUnsignedInt(from.getShort()));
        }
        return numbers;
    }
}
