// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A record as read from Kafka. Key and value may be null there; null headers mean that they are not known.
 *
 * @param wayBack only of another system's record
 */
public record FoundRecord(String topic, int partition, long offset, byte[] key, byte[] value, byte[] headers, Optional<WayBack> wayBack) {

    /**
     * How a merge sends it back.
     *
     * @param topic   empty if it is not known
     * @param headers what it goes with, as {@link io.chargeonce.database.raw.HeaderBytes} has them
     */
    public record WayBack(String topic, byte[] headers) {}

    /** One that is not sent back as it is. */
    public FoundRecord(String topic, int partition, long offset, byte[] key, byte[] value, byte[] headers) {
        this(topic, partition, offset, key, value, headers, Optional.empty());
    }

    /** The sealed part of the record. Where it was found, and where it goes back to, are no secrets. */
    public record Content(byte[] key, byte[] value, byte[] headers, Optional<byte[]> headersBack) {

        byte[] bytes() {
            var bytes = new ByteArrayOutputStream();
            try (var out = new DataOutputStream(bytes)) {
                for (byte[] part : Stream.concat(Stream.of(key, value, headers), headersBack.stream()).toList()) {
                    out.writeInt(part == null ? -1 : part.length);
                    if (part != null) {
                        out.write(part);
                    }
                }
                return bytes.toByteArray();
            } catch (IOException neverInMemory) {
                throw new UncheckedIOException(neverInMemory);
            }
        }

        /** @throws IllegalArgumentException if these bytes are not a record's content */
        public static Content of(byte[] bytes) {
            try {
                ByteBuffer in = ByteBuffer.wrap(bytes);
                return new Content(part(in), part(in), part(in), Optional.of(in).filter(ByteBuffer::hasRemaining).map(Content::part));
            } catch (BufferUnderflowException | NegativeArraySizeException | OutOfMemoryError cut) {
                throw new IllegalArgumentException("these bytes are not a record's content", cut);
            }
        }

        private static byte[] part(ByteBuffer in) {
            int length = in.getInt();
            if (length == -1) {
                return null;
            }
            if (length > in.remaining()) {
                throw new BufferUnderflowException();
            }
            var part = new byte[length];
            in.get(part);
            return part;
        }
    }

    Content content() {
        return new Content(key, value, headers, wayBack.map(WayBack::headers));
    }

    /** Derived from place and content, so that a record that is read twice is one dead letter. */
    public String id() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update("%s|%d|%d|".formatted(topic, partition, offset).getBytes(StandardCharsets.UTF_8));
            feed(digest, key);
            feed(digest, value);
            return "psn_" + HexFormat.of().formatHex(digest.digest(), 0, 13);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    /** Whether this is the id of a record, and of no payment. */
    static boolean isId(String text) {
        return text.matches("psn_[0-9a-f]{26}");
    }

    private static void feed(MessageDigest digest, byte[] bytes) {
        digest.update(ByteBuffer.allocate(4).putInt(0, bytes == null ? -1 : bytes.length));
        if (bytes != null) {
            digest.update(bytes);
        }
    }
}
