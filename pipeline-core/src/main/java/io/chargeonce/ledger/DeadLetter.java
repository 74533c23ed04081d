package io.chargeonce.ledger;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Something that enters the dead-letter queue.
 *
 * @param source where it was found, for poison; an operation has none
 */
public record DeadLetter(String id, Optional<Operation> operation, String cause, String message, Optional<Source> source) {

    /** A record as Kafka held it; null key or value as there. */
    public record Source(String topic, int partition, long offset, byte[] key, byte[] value, byte[] headers) {}

    public static DeadLetter of(Operation operation, String cause, String message) {
        return new DeadLetter(operation.id(), Optional.of(operation), ForeignText.storable(cause), ForeignText.brief(message), Optional.empty());
    }

    /** The id follows from place and content, so that poison read twice is one dead letter. It names no operation. */
    public static DeadLetter poison(Source source, String cause, String message) {
        return new DeadLetter("psn_" + hash(source), Optional.empty(), cause, ForeignText.brief(message), Optional.of(source));
    }

    private static String hash(Source source) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update("%s|%d|%d|".formatted(source.topic(), source.partition(), source.offset())
                    .getBytes(StandardCharsets.UTF_8));
            feed(digest, source.key());
            feed(digest, source.value());
            return HexFormat.of().formatHex(digest.digest(), 0, 13);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static void feed(MessageDigest digest, byte[] bytes) {
        digest.update(ByteBuffer.allocate(4).putInt(0, bytes == null ? -1 : bytes.length));
        if (bytes != null) {
            digest.update(bytes);
        }
    }
}
