// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Turns the head of an HTTP/1.0 request into that of an HTTP/1.1 request that ends its connection: the web server speaks HTTP/1.1 alone.
 * A connection of HTTP/1.0 carries one request, so only the first head of a connection is looked at. RFC 9110, 2.5 and 6.2, lets a server
 * answer with its own version. One connection's thread.
 */
public final class Http10 implements Supplier<byte[]> {

    private static final HeaderName VIA = HeaderNames.create("Via");
    private static final String MARK = "1.0 chargeonce";
    private static final String OLDER = " HTTP/1.0";
    private static final String NEW_LINE = "\r\n";
    private static final String END = NEW_LINE + NEW_LINE;
    /** They have no meaning in HTTP/1.0, or another one than in HTTP/1.1. */
    private static final Set<String> LEFT_OUT = Set.of("connection", "keep-alive", "expect");

    private final Supplier<byte[]> bytes;
    private final Runnable waits;
    private final int longestLine;
    private final int longestHead;
    private boolean first = true;

    /**
     * @param bytes as they arrive; at least one at a time
     * @param waits called before more of a head is waited for
     */
    Http10(Supplier<byte[]> bytes, Runnable waits, int longestLine, int longestHead) {
        this.bytes = bytes;
        this.waits = waits;
        this.longestLine = longestLine;
        this.longestHead = longestHead;
    }

    /** Whether this request came over HTTP/1.0, so that its answer cannot be sent in chunks. */
    public static boolean isVersionOf(ServerRequest request) {
        return request.headers().all(VIA, List::of).contains(MARK);
    }

    @Override
    public byte[] get() {
        if (!first) {
            return bytes.get();
        }
        first = false;
        byte[] begun = until(NEW_LINE, bytes.get(), longestLine);
        String text = text(begun);
        int line = text.indexOf(NEW_LINE);
        if (line < 0 || !text.startsWith(OLDER, line - OLDER.length())) {
            return begun;
        }
        byte[] whole = until(END, begun, longestHead);
        int head = text(whole).indexOf(END);
        if (head < 0) {
            throw BoundedRequests.noHttp("the headers are too long");
        }
        byte[] translated = translated(text(whole).substring(0, head)).getBytes(StandardCharsets.ISO_8859_1);
        var all = new ByteArrayOutputStream();
        all.writeBytes(translated);
        all.write(whole, head + END.length(), whole.length - head - END.length());
        return all.toByteArray();
    }

    /** These bytes and more, until the text is among them or there are too many. */
    private byte[] until(String wanted, byte[] begun, int most) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(begun);
        while (all.size() <= most && !all.toString(StandardCharsets.ISO_8859_1).contains(wanted)) {
            waits.run();
            all.writeBytes(bytes.get());
        }
        return all.toByteArray();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A proxy that reads a head in another way could smuggle a request past us, so what is unclear is refused. */
    private static String translated(String head) {
        List<String> lines = List.of(head.split(NEW_LINE, -1));
        var kept = new ArrayList<String>();
        kept.add(lines.getFirst().substring(0, lines.getFirst().length() - 1) + "1");
        boolean hasHost = false;
        for (String line : lines.subList(1, lines.size())) {
            String name = line.split(":", 2)[0].strip().toLowerCase(Locale.ROOT);
            if (name.equals("transfer-encoding") || line.isEmpty() || Character.isWhitespace(line.charAt(0))
                    || line.indexOf('\r') >= 0 || line.indexOf('\n') >= 0) {
                throw BoundedRequests.noHttp("not a head of HTTP/1.0");
            }
            hasHost |= name.equals("host");
            if (!LEFT_OUT.contains(name)) {
                kept.add(line);
            }
        }
        if (!hasHost) {
            kept.add("Host: localhost");
        }
        kept.add("Connection: close");
        kept.add(VIA.defaultCase() + ": " + MARK);
        return String.join(NEW_LINE, kept) + END;
    }
}
