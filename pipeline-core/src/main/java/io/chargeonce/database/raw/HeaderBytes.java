// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.raw;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** All headers of a record as bytes: their names and values, null and equal ones too, in their order. */
public final class HeaderBytes {

    private static final int NONE = -1;

    private HeaderBytes() {}

    public static byte[] of(Iterable<Header> headers) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            for (Header header : headers) {
                write(out, header.key().getBytes(StandardCharsets.UTF_8));
                write(out, header.value());
            }
            return bytes.toByteArray();
        } catch (IOException neverInMemory) {
            throw new UncheckedIOException(neverInMemory);
        }
    }

    private static void write(DataOutputStream out, byte[] part) throws IOException {
        out.writeInt(part == null ? NONE : part.length);
        if (part != null) {
            out.write(part);
        }
    }

    /** @throws IllegalArgumentException if no headers were written so */
    public static List<Header> read(byte[] bytes) {
        var headers = new ArrayList<Header>();
        try {
            for (ByteBuffer in = ByteBuffer.wrap(bytes); in.hasRemaining();) {
                headers.add(new RecordHeader(new String(part(in), StandardCharsets.UTF_8), part(in)));
            }
            return headers;
        } catch (BufferUnderflowException | NullPointerException e) {
            throw new IllegalArgumentException("these bytes are no headers", e);
        }
    }

    private static byte[] part(ByteBuffer in) {
        int length = in.getInt();
        if (length == NONE) {
            return null;
        }
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        var part = new byte[length];
        in.get(part);
        return part;
    }
}
