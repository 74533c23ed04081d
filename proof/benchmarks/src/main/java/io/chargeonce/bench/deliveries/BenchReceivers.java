// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.deliveries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All merchants' receivers: those below a number take a request and never answer, the others answer at once. One thread, which knows of
 * HTTP just what the sender says, so that it takes little of the machine that is measured.
 */
final class BenchReceivers implements AutoCloseable {

    private static final Pattern REQUEST = Pattern.compile("POST /(\\d+) .*?\r\ncontent-length: (\\d+)\r\n.*?\r\n\r\n",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern PAYMENT = Pattern.compile("pay_(\\d{26})");
    private static final byte[] ANSWER = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int BACKLOG = 1_000;
    private static final int LONGEST_REQUEST = 64 * 1024;

    private final Selector selector;
    private final ServerSocketChannel server;
    private final Thread thread;
    private final int hanging;
    /** By the payment's number: when its webhook came first. */
    private final AtomicLongArray cameAt;
    private final AtomicInteger came = new AtomicInteger();

    BenchReceivers(int hanging, int payments) {
        this.hanging = hanging;
        this.cameAt = new AtomicLongArray(payments);
        try {
            selector = Selector.open();
            server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofPlatform().daemon().name("receivers").start(this::run);
    }

    int port() {
        return server.socket().getLocalPort();
    }

    private void run() {
        try (selector; server) {
            while (!Thread.currentThread().isInterrupted()) {
                selector.select(this::serve);
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                server.accept().configureBlocking(false).register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(LONGEST_REQUEST));
            } else if (!read((SocketChannel) key.channel(), (ByteBuffer) key.attachment())) {
                key.channel().close();
            }
        } catch (IOException gone) {
            key.cancel();
        }
    }

    /** False if the sender has closed it. A sender sends no second request before it has the answer. */
    private boolean read(SocketChannel from, ByteBuffer buffer) throws IOException {
        if (from.read(buffer) < 0) {
            return false;
        }
        var so = new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1);
        Matcher request = REQUEST.matcher(so);
        if (request.lookingAt() && so.length() - request.end() == Integer.parseInt(request.group(2))) {
            buffer.clear();
            if (Integer.parseInt(request.group(1)) >= hanging) {
                take(so.substring(request.end()));
                from.write(ByteBuffer.wrap(ANSWER));
            }
        }
        return true;
    }

    private void take(String body) {
        Matcher payment = PAYMENT.matcher(body);
        if (payment.find() && cameAt.compareAndSet(Integer.parseInt(payment.group(1)), 0, System.nanoTime())) {
            came.incrementAndGet();
        }
    }

    /** How many payments healthy receivers have heard of. */
    int came() {
        return came.get();
    }

    /** 0 if it did not come. */
    long cameAt(int payment) {
        return cameAt.get(payment);
    }

    /** Connections that still hang end with it. */
    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }
}
