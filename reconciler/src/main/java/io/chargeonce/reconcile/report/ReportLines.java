// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads a file line by line, in constant memory for any file: the rest of a line that is too long is skipped. */
final class ReportLines {

    static final int LONGEST = 256 * 1024;
    private static final int CHUNK = 64 * 1024;
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private final InputStream in;
    private final byte[] chunk = new byte[CHUNK];
    private int filled;
    private int next;
    private long number;

    ReportLines(InputStream in) {
        this.in = in;
    }

    /** @param text empty if the line is too long, or no UTF-8 */
    record Line(long number, Optional<String> text) {}

    /** Without its end; empty at the end of the file. */
    Optional<Line> next() throws IOException {
        var bytes = new ByteArrayOutputStream();
        boolean any = false;
        boolean tooLong = false;
        for (int read = readByte(); read >= 0; read = readByte()) {
            any = true;
            if (read == '\n') {
                break;
            }
            tooLong |= bytes.size() >= LONGEST;
            if (!tooLong) {
                bytes.write(read);
            }
        }
        if (!any) {
            return Optional.empty();
        }
        number++;
        return Optional.of(new Line(number, tooLong ? Optional.empty() : decoded(bytes.toByteArray())));
    }

    private Optional<String> decoded(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            String line = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            return Optional.of(number == 1 && !line.isEmpty() && line.charAt(0) == BYTE_ORDER_MARK ? line.substring(1) : line);
        } catch (CharacterCodingException notUtf8) {
            return Optional.empty();
        }
    }

    private int readByte() throws IOException {
        if (next == filled) {
            filled = in.read(chunk);
            next = 0;
            if (filled <= 0) {
                filled = 0;
                return -1;
            }
        }
        return chunk[next++] & 0xff;
    }
}
