// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection that posts payments, over a plain socket: it shares the cores with what it measures. For one thread. */
public final class PaymentPost implements AutoCloseable {

    private static final String BODY = """
            {"amount":1299,"currency":"EUR","payment_method":"pm_card_visa","customer":"cus_%1$s","reference":"order-%1$s"}""";

    private final String token;
    private final Socket socket;
    private final InputStream in;

    public PaymentPost(int port) throws IOException {
        this(port, "test_bench");
    }

    /** @param token whose payments they are */
    public PaymentPost(int port, String token) throws IOException {
        this.token = token;
        this.socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream(), 4096);
    }

    /** Returns the status, with the whole answer read. */
    public int send(String key) throws IOException {
        return send(key, "");
    }

    /** As {@link #send}, but the answer comes with the outcome, or after 10 seconds. */
    public int sendAndWait(String key) throws IOException {
        return send(key, "Prefer: wait=10\r\n");
    }

    private int send(String key, String header) throws IOException {
        String body = BODY.formatted(key);
        socket.getOutputStream().write(("POST /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token
                + "\r\nIdempotency-Key: " + key + "\r\n" + header + "Content-Type: application/json\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII));
        return readAnswer();
    }

    private int readAnswer() throws IOException {
        int status = Integer.parseInt(line().split(" ")[1]);
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        in.skipNBytes(length);
        return status;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the server hung up");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
