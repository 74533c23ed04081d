// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.pooler;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A pooler before Postgres, as small as can be: it gives each client a session, or runs the transactions of all clients in one session, as
 * PgBouncer does in its two modes. It knows as much of the protocol as that takes.
 */
final class Pooler implements AutoCloseable {

    private static final int SSL_REQUEST = 80877103;
    private static final int BYTES_OF_LENGTH = 4;

    private final ServerSocket door;
    private final int postgres;
    private final boolean shares;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger clients = new AtomicInteger();
    private final ReentrantLock transaction = new ReentrantLock();
    private Session shared;

    /** A session at Postgres, and what Postgres said when it began. */
    private record Session(DataInputStream in, OutputStream out, byte[] greeting) {}

    /** A message: its type and all its bytes. */
    private record Message(int type, byte[] bytes) {

        static Message read(DataInputStream in) throws IOException {
            int type = in.read();
            if (type < 0) {
                throw new IOException("closed");
            }
            int length = in.readInt();
            byte[] body = in.readNBytes(length - BYTES_OF_LENGTH);
            var bytes = new ByteArrayOutputStream();
            bytes.write(type);
            bytes.write(number(length));
            bytes.write(body);
            return new Message(type, bytes.toByteArray());
        }

        boolean endsTransaction() {
            return type == 'Z' && bytes[bytes.length - 1] == 'I';
        }
    }

    /** @param shares whether all clients use one session in turn */
    Pooler(int postgres, boolean shares) throws IOException {
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.postgres = postgres;
        this.shares = shares;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** How many connected so far. */
    int clients() {
        return clients.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                open.add(client);
                clients.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client) {
            var in = new DataInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            Session session = session(startup(in, out));
            out.write(session.greeting);
            while (true) {
                transact(in, out, session);
            }
        } catch (IOException gone) {
            // The client has closed its connection.
        }
    }

    private static byte[] startup(DataInputStream in, OutputStream out) throws IOException {
        while (true) {
            int length = in.readInt();
            byte[] body = in.readNBytes(length - BYTES_OF_LENGTH);
            if (length > 8 || new DataInputStream(new ByteArrayInputStream(body)).readInt() != SSL_REQUEST) {
                var whole = new ByteArrayOutputStream();
                whole.write(number(length));
                whole.write(body);
                return whole.toByteArray();
            }
            out.write('N');
        }
    }

    private synchronized Session session(byte[] startup) throws IOException {
        if (!shares) {
            return begin(startup);
        }
        if (shared == null) {
            shared = begin(startup);
        }
        return shared;
    }

    /** The sandbox's Postgres asks for no password. */
    private Session begin(byte[] startup) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), postgres);
        open.add(socket);
        var in = new DataInputStream(socket.getInputStream());
        socket.getOutputStream().write(startup);
        var greeting = new ByteArrayOutputStream();
        Message message;
        do {
            message = Message.read(in);
            if (message.type == 'K') {
                message.bytes[message.bytes.length - 5] ^= 1;
            }
            greeting.write(message.bytes);
        } while (message.type != 'Z');
        return new Session(in, socket.getOutputStream(), greeting.toByteArray());
    }

    private void transact(DataInputStream in, OutputStream out, Session session) throws IOException {
        Message next = Message.read(in);
        if (next.type == 'X') {
            throw new IOException("the client says goodbye");
        }
        if (shares) {
            transaction.lock();
        }
        try {
            for (;; next = Message.read(in)) {
                session.out.write(next.bytes);
                if ((next.type == 'Q' || next.type == 'S') && answers(session, out)) {
                    return;
                }
            }
        } finally {
            if (shares) {
                transaction.unlock();
            }
        }
    }

    /** Whether the transaction has ended. */
    private static boolean answers(Session session, OutputStream out) throws IOException {
        Message answer;
        do {
            answer = Message.read(session.in);
            out.write(answer.bytes);
        } while (answer.type != 'Z');
        return answer.endsTransaction();
    }

    private static byte[] number(int value) {
        return new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    }

    @Override
    public void close() {
        try {
            door.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
