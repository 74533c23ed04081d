// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A connection to the {@link MailRoom}, as the mail library of a service sees it. Only the strand that has the turn may call it. */
public final class ModelSocket extends Socket {

    private static final Duration FARTHEST = Duration.ofMillis(10);

    private final MailRoom room;
    private final MailRoom.Talk talk;
    private byte[] answers = new byte[0];
    private int timeout;
    private boolean connected;
    private boolean closed;
    /** The server has closed it. */
    private boolean left;

    public ModelSocket(MailRoom room) {
        this.room = room;
        this.talk = room.new Talk();
    }

    private final MailRoom.Talk.Answer answer = new MailRoom.Talk.Answer() {
        @Override
        public void say(String line) {
            var all = new ByteArrayOutputStream();
            all.writeBytes(answers);
            all.writeBytes((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
            answers = all.toByteArray();
        }

        @Override
        public void leave() {
            left = true;
        }
    };

    @Override
    public void connect(SocketAddress address, int limit) throws IOException {
        requireOpen();
        Kernel.it().sleep(Kernel.it().between(Duration.ZERO, FARTHEST));
        requireOpen();
        if (room.mood() == MailRoom.Mood.REFUSES) {
            Kernel.it().note("the mail server REFUSES");
            throw new ConnectException("Connection refused");
        }
        connected = true;
        talk.begin(answer);
    }

    @Override
    public void connect(SocketAddress address) throws IOException {
        connect(address, 0);
    }

    private void requireOpen() throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int from, int most) throws IOException {
                return take(into, from, most);
            }
        };
    }

    private int take(byte[] into, int from, int most) throws IOException {
        Kernel kernel = Kernel.it();
        requireOpen();
        if (answers.length == 0 && !left) {
            kernel.await(() -> answers.length > 0 || closed || left,
                    timeout == 0 ? SimulatedThread.NEVER : kernel.after(Duration.ofMillis(timeout)));
            requireOpen();
        }
        if (answers.length == 0) {
            if (left) {
                return -1;
            }
            throw new SocketTimeoutException("Read timed out");
        }
        kernel.sleep(kernel.between(Duration.ZERO, FARTHEST));
        kernel.point("before the mail server's answer is read");
        requireOpen();
        int count = Math.min(most, answers.length);
        System.arraycopy(answers, 0, into, from, count);
        var rest = new byte[answers.length - count];
        System.arraycopy(answers, count, rest, 0, rest.length);
        answers = rest;
        return count;
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                requireOpen();
                if (left) {
                    throw new SocketException("Broken pipe");
                }
                talk.hear(bytes, from, count, answer);
                if (talk.isBrokenOff()) {
                    throw new SocketException("Connection reset");
                }
            }
        };
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public void setSoTimeout(int millis) {
        timeout = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeout;
    }

    @Override
    public void setTcpNoDelay(boolean on) {
        // There is no delay.
    }
}
