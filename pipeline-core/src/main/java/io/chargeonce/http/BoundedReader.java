// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.task.InterruptableTask;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.spi.ServerConnection;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * What a client sends, as the web server reads it. The web server takes requests that a proxy before us may read in another way: those are
 * refused here. After a refusal no further byte is given out, so that what follows is never taken for a request. A chunk has at most
 * {@link #LARGEST} bytes, because the web server holds a whole chunk in memory, and a batch may be as long as it likes. One connection's
 * thread.
 */
final class BoundedReader extends DataReader {

    private static final int LARGEST = 1024 * 1024;
    private static final int LONGEST_SIZE = 8;
    private static final Pattern SIZE = Pattern.compile("[0-9A-Fa-f]{1," + LONGEST_SIZE + "}");
    /** Only one spelling of a path leads anywhere, so that the rules of a proxy hold. What needs no escape, or divides a path, has none. */
    private static final Pattern PATH = Pattern.compile("/|(?:/(?!\\.{1,2}(?:/|$))"
            + "(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%(?:2[0-46-9A-Ca-c]|3[AC-Eac-e]|40|5[BDEbde]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f]))+)+");

    private final SlowHeads heads;
    /** That reads from here; it comes to be after its reader. */
    private ServerConnection connection;
    private boolean last;
    private boolean refused;
    /** The next bytes are a chunk. */
    private boolean inChunk;
    /** The next bytes end a chunk. */
    private boolean afterChunk;
    /** The next line ends the body. */
    private boolean afterLastChunk;

    /** There is no other way to see a chunk's length before the web server has read it whole. */
    @SuppressWarnings("removal")
    BoundedReader(DataReader all, SlowHeads heads) {
        super(new Http10(() -> {
            all.ensureAvailable();
            return all.readBytes(all.available());
        }, heads::begin, BoundedHttp.LONGEST_REQUEST_LINE, BoundedHttp.LONGEST_REQUEST_LINE + BoundedHttp.LARGEST_HEADERS), false);
        this.heads = heads;
    }

    void isReadBy(ServerConnection web) {
        connection = web;
    }

    /** The request or the answer under way ends the connection. The web server says so too, and reads on. */
    void noMoreRequests() {
        last = true;
    }

    /** The web server may be interrupted while it reads a request's line, and then only. */
    private boolean readsRequestLine() {
        return connection instanceof InterruptableTask<?> web && web.canInterrupt();
    }

    private RequestException refuse(RequestException why) {
        refused = true;
        return why;
    }

    private RequestException refuse(String why) {
        return refuse(BoundedRequests.noHttp(why));
    }

    @Override
    public void pullData() {
        super.pullData();
        if (readsRequestLine()) {
            heads.begin();
        }
    }

    /** Every other method begins with this one. */
    @Override
    public void ensureAvailable() {
        if (refused || last && readsRequestLine()) {
            throw new CloseConnectionException("this connection has had its last answer");
        }
        super.ensureAvailable();
    }

    @Override
    public int findNewLine(int most) {
        try {
            return super.findNewLine(most);
        } catch (IncorrectNewLineException e) {
            throw refuse("a line ends with CR and LF");
        }
    }

    /** A method in small letters is another one than in capitals (RFC 9110, 9.1), and the web server takes it for the same. */
    @Override
    public byte[] readBytes(int length) {
        byte[] bytes = super.readBytes(length);
        if (readsRequestLine()) {
            String[] words = new String(bytes, StandardCharsets.ISO_8859_1).split(" ", -1);
            if (!words[0].matches("[A-Z]+") || words.length != 3 || !PATH.matcher(words[1].split("\\?", 2)[0]).matches()) {
                throw refuse("a request's line is a method in capital letters, a path in its normal form, and HTTP/1.1");
            }
        }
        return bytes;
    }

    /** Of a header; the web server takes those without a name (RFC 9110, 5.1). */
    @Override
    public int findOrNewLine(byte end, int most) {
        try {
            int length = super.findOrNewLine(end, most);
            if (end == ':' && length == 0) {
                throw refuse("a header has a name");
            }
            return length;
        } catch (IncorrectNewLineException e) {
            throw refuse("a line ends with CR and LF");
        }
    }

    /** Of a chunked body: a chunk's size, or nothing. Extensions and trailers have no use here, and readers differ in them most. */
    @Override
    public String readLine() {
        int length = findNewLine(LONGEST_SIZE + 1);
        String line = length > LONGEST_SIZE ? "" : readAsciiString(length);
        if (afterLastChunk ? length > 0 : !SIZE.matcher(line).matches()) {
            throw refuse(afterLastChunk ? "a body in chunks ends with an empty line" : "a chunk's size is hexadecimal digits");
        }
        skip(2);
        if (!afterLastChunk) {
            long size = Long.parseLong(line, 16);
            if (size > LARGEST) {
                throw refuse(RequestException.builder().type(DirectHandler.EventType.PAYLOAD_TOO_LARGE)
                        .status(Status.REQUEST_ENTITY_TOO_LARGE_413).message("a chunk is too large").setKeepAlive(false).build());
            }
            inChunk = size > 0;
        }
        afterLastChunk = !afterLastChunk && !inChunk;
        return line;
    }

    @Override
    public BufferData readBuffer(int length) {
        BufferData data = super.readBuffer(length);
        afterChunk = inChunk;
        inChunk = false;
        return data;
    }

    /** The web server skips what follows a chunk without a look. */
    @Override
    public void skip(int length) {
        if (afterChunk && !startsWithNewLine()) {
            throw refuse("a chunk has another size than it says");
        }
        afterChunk = false;
        super.skip(length);
    }
}
