// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.How;
import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.console.witness.Fact.Source;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** Facts on the witness's own topic, as few bytes. */
final class FactBytes {

    private static final int VERSION = 1;

    private FactBytes() {}

    static Serde<Fact> serde() {
        return Serdes.serdeFrom((topic, fact) -> write(fact), (topic, bytes) -> bytes == null ? null : read(bytes));
    }

    static byte[] write(Fact fact) {
        var bytes = new ByteArrayOutputStream(160);
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            switch (fact) {
                case Fact.Work work -> {
                    out.writeByte('w');
                    write(out, work.who());
                    out.writeInt(work.step());
                    out.writeByte(work.tier());
                    out.writeLong(work.stagedAt());
                    out.writeLong(work.acceptedAt());
                    out.writeUTF(work.cause());
                    write(out, work.place());
                }
                case Fact.Waits waits -> {
                    out.writeByte('p');
                    write(out, waits.who());
                    out.writeInt(waits.step());
                    out.writeLong(waits.stagedAt());
                    out.writeLong(waits.until());
                    out.writeUTF(waits.why());
                    write(out, waits.place());
                }
                case Fact.Outcome outcome -> {
                    out.writeByte('o');
                    write(out, outcome.who());
                    out.writeInt(outcome.revision());
                    out.writeUTF(outcome.status());
                    out.writeUTF(outcome.cause());
                    out.writeUTF(outcome.psp());
                    write(out, outcome.place());
                }
                case Fact.Letter letter -> {
                    out.writeByte('d');
                    out.writeBoolean(letter.who().isPresent());
                    if (letter.who().isPresent()) {
                        write(out, letter.who().get());
                    }
                    out.writeInt(letter.revision());
                    out.writeLong(letter.diedAt());
                    out.writeUTF(letter.cause());
                    out.writeUTF(letter.psp());
                    out.writeBoolean(letter.source().isPresent());
                    if (letter.source().isPresent()) {
                        out.writeUTF(letter.source().get().topic());
                        write(out, letter.source().get().place());
                    }
                    write(out, letter.place());
                }
                case Fact.Left left -> {
                    out.writeByte('l');
                    out.writeInt(left.revision());
                    out.writeByte(left.how().code);
                    write(out, left.place());
                }
                case Fact.Unreadable unreadable -> out.writeByte('u');
                case Fact.Missed missed -> {
                    out.writeByte('m');
                    out.writeLong(missed.count());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Bug! An array in memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    static Fact read(byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IllegalStateException("the witness's own topic holds version " + version + ", which this release cannot read: "
                        + "set CHARGEONCE_WITNESS_NAME to another name, so that it begins again");
            }
            int kind = in.readByte();
            return switch (kind) {
                case 'w' -> new Fact.Work(identity(in), in.readInt(), in.readByte(), in.readLong(), in.readLong(), in.readUTF(), place(in));
                case 'p' -> new Fact.Waits(identity(in), in.readInt(), in.readLong(), in.readLong(), in.readUTF(), place(in));
                case 'o' -> new Fact.Outcome(identity(in), in.readInt(), in.readUTF(), in.readUTF(), in.readUTF(), place(in));
                case 'd' -> new Fact.Letter(in.readBoolean() ? Optional.of(identity(in)) : Optional.empty(), in.readInt(), in.readLong(),
                        in.readUTF(), in.readUTF(),
                        in.readBoolean() ? Optional.of(new Source(in.readUTF(), place(in))) : Optional.empty(), place(in));
                case 'l' -> new Fact.Left(in.readInt(), How.of(in.readByte()), place(in));
                case 'u' -> new Fact.Unreadable();
                case 'm' -> new Fact.Missed(in.readLong());
                default -> throw new IllegalStateException("Bug! There is no fact of kind " + kind);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("a fact on the witness's own topic is cut off", e);
        }
    }

    private static void write(DataOutputStream out, Identity who) throws IOException {
        out.writeUTF(who.paymentId());
        out.writeUTF(who.kind());
        out.writeUTF(who.merchant());
        out.writeLong(who.amount());
        out.writeUTF(who.currency());
    }

    private static Identity identity(DataInputStream in) throws IOException {
        return new Identity(in.readUTF(), in.readUTF(), in.readUTF(), in.readLong(), in.readUTF());
    }

    private static void write(DataOutputStream out, Place place) throws IOException {
        out.writeInt(place.partition());
        out.writeLong(place.offset());
    }

    private static Place place(DataInputStream in) throws IOException {
        return new Place(in.readInt(), in.readLong());
    }
}
