// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.How;
import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.console.witness.Fact.Source;
import io.chargeonce.console.witness.ObservedOperation.Seen;
import io.chargeonce.console.witness.ObservedOperation.Visit;
import io.chargeonce.console.witness.ObservedOperation.Wait;
import io.chargeonce.console.witness.ObservedOperation.Whereabouts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * An operation in about 90 bytes. They begin with what a look at all operations needs: since when the next sign is awaited, where it is,
 * and its last record. So of a million operations only those that need attention are read in full.
 */
final class ObservedOperationBytes {

    private static final int VERSION = 1;
    private static final int WAIT = 128;
    private static final int LETTERS = 1;
    private static final int OUTCOME = 2;
    private static final int REFUTED = 4;
    private static final int OVERDUE = 8;
    private static final int STRANGER = 16;
    private static final int SOURCE = 32;
    private static final int TIERS = 64;

    /** The beginning of the bytes. */
    record Glance(long since, Whereabouts whereabouts, boolean listedByMistake, int tier, Place place) {}

    private ObservedOperationBytes() {}

    static Glance glance(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        long since = in.getLong();
        int where = in.get();
        int tier = in.get();
        return new Glance(since, Whereabouts.of(where & 15), (where & 16) != 0, tier, new Place(in.getInt(), in.getLong()));
    }

    static byte[] write(String id, ObservedOperation known) {
        var bytes = new ByteArrayOutputStream(128);
        try (var out = new DataOutputStream(bytes)) {
            out.writeLong(known.since());
            out.writeByte(known.whereabouts().code | (known.isListedByMistake() ? 16 : 0));
            out.writeByte(known.visit.tier());
            out.writeInt(known.visit.place().partition());
            out.writeLong(known.visit.place().offset());
            out.writeByte(VERSION);
            out.writeByte(parts(known));
            if (known.who.isPresent()) {
                write(out, id, known.who.get());
            }
            out.writeLong(known.acceptedAt);
            out.writeLong(known.lastAt);
            write(out, known.main);
            out.writeInt(known.visit.step());
            out.writeLong(known.visit.at());
            out.writeLong(known.visit.micros());
            out.writeUTF(known.cause);
            writeParts(out, known);
        } catch (IOException e) {
            throw new UncheckedIOException("Bug! An array in memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    private static int parts(ObservedOperation known) {
        return (known.revision > 0 ? LETTERS : 0) | (known.outcome > 0 ? OUTCOME : 0) | (known.refuted ? REFUTED : 0)
                | (known.overdueSince > 0 ? OVERDUE : 0) | (known.who.isEmpty() ? STRANGER : 0) | (known.source.isPresent() ? SOURCE : 0)
                | (known.tiers.isNothing() ? 0 : TIERS) | (known.wait.step() > 0 ? WAIT : 0);
    }

    private static void writeParts(DataOutputStream out, ObservedOperation known) throws IOException {
        if (!known.tiers.isNothing()) {
            write(out, known.tiers);
        }
        if (known.wait.step() > 0) {
            out.writeInt(known.wait.step());
            out.writeLong(known.wait.micros());
            out.writeLong(known.wait.until());
            out.writeBoolean(known.wait.presentedAgain());
        }
        if (known.revision > 0) {
            write(out, known.letters);
            out.writeInt(known.revision);
            out.writeByte(known.how.code);
            out.writeLong(known.letterAt);
            out.writeLong(known.diedAt);
        }
        if (known.source.isPresent()) {
            out.writeUTF(known.source.get().topic());
            out.writeInt(known.source.get().place().partition());
            out.writeLong(known.source.get().place().offset());
        }
        if (known.outcome > 0) {
            out.writeInt(known.outcome);
            out.writeUTF(known.status);
            out.writeLong(known.outcomeAt);
        }
        if (known.overdueSince > 0) {
            out.writeLong(known.overdueSince);
        }
    }

    static ObservedOperation read(String id, byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            in.readLong();
            in.readByte();
            int tier = in.readByte();
            var place = new Place(in.readInt(), in.readLong());
            int version = in.readByte();
            if (version != VERSION) {
                throw new IllegalStateException("the witness's state has version " + version + ", which this release cannot read: "
                        + "set CHARGEONCE_WITNESS_NAME to another name, so that it begins again");
            }
            int parts = in.readByte();
            var known = new ObservedOperation();
            known.who = (parts & STRANGER) != 0 ? Optional.empty() : Optional.of(identity(in, id));
            known.acceptedAt = in.readLong();
            known.lastAt = in.readLong();
            known.main = seen(in);
            known.visit = new Visit(in.readInt(), tier, in.readLong(), in.readLong(), place);
            known.cause = in.readUTF();
            known.refuted = (parts & REFUTED) != 0;
            readParts(in, parts, known);
            return known;
        } catch (IOException e) {
            throw new UncheckedIOException("the witness's state of " + id + " is cut off", e);
        }
    }

    private static void readParts(DataInputStream in, int parts, ObservedOperation known) throws IOException {
        if ((parts & TIERS) != 0) {
            known.tiers = seen(in);
        }
        if ((parts & WAIT) != 0) {
            known.wait = new Wait(in.readInt(), in.readLong(), in.readLong(), in.readBoolean());
        }
        if ((parts & LETTERS) != 0) {
            known.letters = seen(in);
            known.revision = in.readInt();
            known.how = How.of(in.readByte());
            known.letterAt = in.readLong();
            known.diedAt = in.readLong();
        }
        if ((parts & SOURCE) != 0) {
            known.source = Optional.of(new Source(in.readUTF(), new Place(in.readInt(), in.readLong())));
        }
        if ((parts & OUTCOME) != 0) {
            known.outcome = in.readInt();
            known.status = in.readUTF();
            known.outcomeAt = in.readLong();
        }
        if ((parts & OVERDUE) != 0) {
            known.overdueSince = in.readLong();
        }
    }

    /** A charge's payment has the operation's id, so it is not written twice. */
    private static void write(DataOutputStream out, String id, Identity who) throws IOException {
        out.writeUTF(who.paymentId().equals(id) ? "" : who.paymentId());
        out.writeUTF(who.kind());
        out.writeUTF(who.merchant());
        out.writeLong(who.amount());
        out.writeUTF(who.currency());
    }

    private static Identity identity(DataInputStream in, String id) throws IOException {
        String payment = in.readUTF();
        return new Identity(payment.isEmpty() ? id : payment, in.readUTF(), in.readUTF(), in.readLong(), in.readUTF());
    }

    private static void write(DataOutputStream out, Seen seen) throws IOException {
        out.writeInt(seen.lowest());
        out.writeLong(seen.bits());
    }

    private static Seen seen(DataInputStream in) throws IOException {
        return new Seen(in.readInt(), in.readLong());
    }
}
