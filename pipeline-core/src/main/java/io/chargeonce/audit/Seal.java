// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.wire.SealRecord;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * One seal: the records between two ids, their digest, and the previous seal. Hashes are in hexadecimal.
 *
 * @param number   from 1, without gaps
 * @param from     the first id of the range; the one after the end of the previous seal
 * @param to       the last id of the range
 * @param rows     {@link RecordDigest} of the records
 * @param previous the mark of the previous seal; empty for the first
 * @param forgotten the last id that retention had deleted when the seal was made; empty if this seal states none
 * @param keyId    of the key that made the mark; empty for none
 * @param sealedAt in UTC by Postgres's clock, in its format
 */
public record Seal(long number, long from, long to, long records, String rows, Optional<String> previous, Optional<Long> forgotten,
        Optional<String> keyId, String sealedAt, String mark) {

    private static final int LONGEST_FIELD = 200;

    public Seal {
        for (String text : List.of(rows, previous.orElse(""), keyId.orElse(""), sealedAt, mark)) {
            if (text.length() > LONGEST_FIELD) {
                throw new IllegalArgumentException("a field of a seal never has %d characters".formatted(text.length()));
            }
        }
    }

    /** The seal that follows {@code before} and reaches up to {@code to}, marked with the current key. */
    static Seal following(Optional<Seal> before, long to, RecordDigest digest, Optional<Long> forgotten, String sealedAt, AuditKeys keys) {
        var unmarked = new Seal(number(before), from(before), to, digest.records(), digest.sha256(),
                before.map(Seal::mark), forgotten, keys.current(), sealedAt, "");
        return new Seal(unmarked.number, unmarked.from, to, unmarked.records, unmarked.rows, unmarked.previous, forgotten, unmarked.keyId,
                sealedAt, unmarked.expectedMark(keys));
    }

    public Instant time() {
        return LocalDateTime.parse(sealedAt.replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }

    /** The number of the seal after this one. */
    static long number(Optional<Seal> before) {
        return before.map(Seal::number).orElse(0L) + 1;
    }

    /** The first id of the seal after this one. */
    static long from(Optional<Seal> before) {
        return before.map(seal -> seal.to + 1).orElse(1L);
    }

    private String expectedMark(AuditKeys keys) {
        return HexFormat.of().formatHex(keys.mark(keyId, sealed()));
    }

    /** The result of checking a mark. */
    public enum Mark { RIGHT, WRONG, OF_ANOTHER_KEY }

    /** Whether its key makes this mark. */
    public Mark checkMark(AuditKeys keys) {
        if (keyId.isPresent() && !keys.has(keyId.get())) {
            return Mark.OF_ANOTHER_KEY;
        }
        return expectedMark(keys).equals(mark) ? Mark.RIGHT : Mark.WRONG;
    }

    /** Everything but the mark; no two seals have the same bytes. */
    private byte[] sealed() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeUTF("chargeonce audit seal 1");
            out.writeLong(number);
            out.writeLong(from);
            out.writeLong(to);
            out.writeLong(records);
            out.writeUTF(rows);
            out.writeUTF(previous.orElse(""));
            out.writeLong(forgotten.orElse(0L));
            out.writeUTF(keyId.orElse(""));
            out.writeUTF(sealedAt);
        } catch (IOException inMemory) {
            throw new UncheckedIOException(inMemory);
        }
        return bytes.toByteArray();
    }

    public static Seal of(SealRecord copy) {
        return new Seal(copy.seal(), copy.fromId(), copy.toId(), copy.records(), copy.rowsSha256(), copy.previous(),
                copy.forgottenTo(), copy.keyId(), copy.sealedAt(), copy.mark());
    }

    /** As published. */
    public SealRecord record() {
        return new SealRecord(SealRecord.TYPE, SealRecord.VERSION, number, from, to, records, rows, previous, forgotten, keyId, sealedAt,
                mark);
    }
}
