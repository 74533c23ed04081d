// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Reads keys and headers, which any producer may have written. */
public final class Headers {

    private static final int LONGEST = 200;

    private Headers() {}

    /** As text; of a record without one, an empty text. */
    public static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    public static Optional<String> text(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null || header.value().length > LONGEST
                ? Optional.empty() : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
    }

    public static OptionalInt number(ConsumerRecord<byte[], byte[]> record, String name) {
        Optional<String> text = text(record, name).filter(digits -> digits.matches("\\d{1,9}"));
        return text.isPresent() ? OptionalInt.of(Integer.parseInt(text.get())) : OptionalInt.empty();
    }

    /** Microseconds since 1970. */
    public static OptionalLong time(ConsumerRecord<byte[], byte[]> record, String name) {
        try {
            Optional<Instant> time = text(record, name).map(Instant::parse);
            return time.isPresent() ? OptionalLong.of(DatabaseRows.micros(time.get())) : OptionalLong.empty();
        } catch (DateTimeException | ArithmeticException forged) {
            return OptionalLong.empty();
        }
    }
}
