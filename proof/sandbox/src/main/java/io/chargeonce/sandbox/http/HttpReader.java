// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads HTTP/1.1 requests from one connection, within fixed limits. One thread. */
final class HttpReader {
    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 100;
    private static final int LARGEST_BODY = 1024 * 1024;

    private final InputStream in;
    private final OutputStream out;

    HttpReader(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** The next request, or empty when the client has closed the connection between two requests. */
    Optional<HttpRequest> next() throws IOException {
        int first = in.read();
        if (first < 0) {
            return Optional.empty();
        }
        String[] words = line(first).split(" ");
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            throw new IOException("not an HTTP/1.1 request line");
        }
        Map<String, String> headers = headers();
        int question = words[1].indexOf('?');
        String path = question < 0 ? words[1] : words[1].substring(0, question);
        String query = question < 0 ? "" : words[1].substring(question + 1);
        return Optional.of(new HttpRequest(words[0], path, query, headers, body(headers)));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(read()); !line.isEmpty(); line = line(read())) {
            int colon = line.indexOf(':');
            if (colon < 1 || headers.size() == MOST_HEADERS) {
                throw new IOException("malformed or too many headers");
            }
            headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if (headers.getOrDefault("expect", "").equalsIgnoreCase("100-continue")) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        }
        if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
            return chunks();
        }
        return exactly(number(headers.getOrDefault("content-length", "0"), 10));
    }

    private byte[] chunks() throws IOException {
        byte[] body = {};
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            byte[] chunk = exactly(size);
            byte[] longer = Arrays.copyOf(body, Math.addExact(body.length, size));
            System.arraycopy(chunk, 0, longer, body.length, size);
            body = longer;
            if (body.length > LARGEST_BODY || !line(read()).isEmpty()) {
                throw new IOException("malformed or too large chunked body");
            }
        }
        headers();
        return body;
    }

    private int chunkSize() throws IOException {
        return number(line(read()).split(";")[0].strip(), 16);
    }

    private static int number(String text, int radix) throws IOException {
        try {
            int number = Integer.parseUnsignedInt(text, radix);
            if (number < 0 || number > LARGEST_BODY) {
                throw new IOException("a body of " + text + " bytes is too large");
            }
            return number;
        } catch (NumberFormatException e) {
            throw new IOException("not a length: " + text, e);
        }
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the client went away within a body");
        }
        return bytes;
    }

    private String line(int first) throws IOException {
        StringBuilder line = new StringBuilder(80);
        for (int c = first; c != '\n'; c = read()) {
            if (line.length() == LONGEST_LINE) {
                throw new IOException("a header line is longer than " + LONGEST_LINE);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private int read() throws IOException {
        int c = in.read();
        if (c < 0) {
            throw new EOFException("the client went away within a request");
        }
        return c;
    }
}
