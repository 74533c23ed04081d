// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import io.chargeonce.ingest.answer.Contract;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * Cuts a stream into lines without ever holding more than one, nor more of one than {@link Contract#LARGEST_BODY}. Blank
 * lines are counted and passed over. One thread.
 */
final class Lines {

    /** @param text empty if the line is too long */
    record Line(long number, Optional<byte[]> text) {}

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int next;
    private int end;
    private long number;
    private byte[] line = new byte[1024];
    private int length;

    Lines(InputStream in) {
        this.in = in;
    }

    /** Empty after the last line. */
    Optional<Line> next() throws IOException {
        length = 0;
        int read = read();
        while (read >= 0) {
            if (read != '\n') {
                append((byte) read);
            } else {
                number++;
                if (!isBlank()) {
                    return Optional.of(taken());
                }
                length = 0;
            }
            read = read();
        }
        number++;
        return isBlank() ? Optional.empty() : Optional.of(taken());
    }

    private Line taken() {
        return new Line(number, length > Contract.LARGEST_BODY ? Optional.empty() : Optional.of(Arrays.copyOf(line, length)));
    }

    private boolean isBlank() {
        for (int i = 0; i < Math.min(length, line.length); i++) {
            if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
                return false;
            }
        }
        return length <= Contract.LARGEST_BODY;
    }

    private void append(byte b) {
        if (length < Contract.LARGEST_BODY) {
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length] = b;
        }
        length = Math.min(length + 1, Contract.LARGEST_BODY + 1);
    }

    private int read() throws IOException {
        if (next == end) {
            next = 0;
            end = Math.max(0, in.read(buffer));
            if (end == 0) {
                return -1;
            }
        }
        return buffer[next++] & 0xff;
    }
}
