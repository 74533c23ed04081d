// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.How;
import io.chargeonce.console.witness.Fact.Place;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The hops of one payment at one time, in the history. */
final class HopBytes {

    /** Kafka refuses a record of a megabyte, and what Kafka refuses would end the streams each time they begin again. */
    private static final int ENOUGH = 64 << 10;

    private HopBytes() {}

    static Hop of(Fact fact, String kind, long millis) {
        Instant at = Instant.ofEpochMilli(millis);
        return switch (fact) {
            case Fact.Work work ->
                hop(at, Books.ofTier(work.tier()), kind + "/" + work.step(), work.tier(), work.cause(), "", work.place());
            case Fact.Waits waits -> hop(at, "waiting", kind + "/" + waits.step(), 0, waits.why(), "", waits.place());
            case Fact.Outcome end -> hop(at, Books.SETTLED, kind + "/" + end.revision(), 0,
                    end.cause().isEmpty() ? end.status() : end.status() + ": " + end.cause(), end.psp(), end.place());
            case Fact.Letter letter ->
                hop(at, Books.DLQ, kind + "/dead-letter/" + letter.revision(), 0, letter.cause(), letter.psp(), letter.place());
            case Fact.Left left -> hop(at, Books.DLQ, kind + "/dead-letter/" + left.revision(), 0, text(left.how()), "", left.place());
            case Fact.Unreadable none -> throw new IllegalArgumentException("Bug! An unreadable record is no hop");
            case Fact.Missed none -> throw new IllegalArgumentException("Bug! A missed record is no hop");
        };
    }

    private static String text(How how) {
        return how.name().toLowerCase(Locale.ROOT);
    }

    private static Hop hop(Instant at, String stage, String step, int tier, String cause, String psp, Place place) {
        return new Hop(at, stage, step, tier, cause, psp, place.partition(), place.offset());
    }

    /**
     * A record that is read again adds nothing, and neither does one more than enough of one moment.
     *
     * @param hops null if there are none yet
     * @return empty if nothing is added
     */
    static Optional<byte[]> more(byte[] hops, Hop hop) {
        if (hops == null) {
            return Optional.of(write(hop));
        }
        if (hops.length > ENOUGH || read(hops).contains(hop)) {
            return Optional.empty();
        }
        byte[] more = write(hop);
        return Optional.of(ByteBuffer.allocate(hops.length + more.length).put(hops).put(more).array());
    }

    private static byte[] write(Hop hop) {
        var bytes = new ByteArrayOutputStream(64);
        try (var out = new DataOutputStream(bytes)) {
            out.writeLong(hop.at().toEpochMilli());
            out.writeUTF(hop.stage());
            out.writeUTF(hop.step());
            out.writeByte(hop.tier());
            out.writeUTF(hop.cause());
            out.writeUTF(hop.psp());
            out.writeInt(hop.partition());
            out.writeLong(hop.offset());
        } catch (IOException e) {
            throw new UncheckedIOException("Bug! An array in memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    static List<Hop> read(byte[] bytes) {
        var hops = new ArrayList<Hop>();
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            while (in.available() > 0) {
                hops.add(new Hop(Instant.ofEpochMilli(in.readLong()), in.readUTF(), in.readUTF(), in.readByte(), in.readUTF(), in.readUTF(),
                        in.readInt(), in.readLong()));
            }
            return hops;
        } catch (IOException e) {
            throw new UncheckedIOException("a hop in the witness's history is cut off", e);
        }
    }
}
