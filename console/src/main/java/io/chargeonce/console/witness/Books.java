// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.ObservedOperation.News;
import io.chargeonce.console.witness.ObservedOperation.Whereabouts;
import io.chargeonce.payment.OperationKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What came into each stage and what is in it now, of charges and of refunds, per currency. What an operation adds follows from what is
 * known about it alone, so a repeated or a late record changes nothing twice. One thread.
 */
final class Books {

    static final String ACCEPTED = "accepted";
    static final String DLQ = "dlq";
    static final String SETTLED = "settled";

    private static final String CHARGE = OperationKind.CHARGE.tag();
    private static final String REFUND = OperationKind.REFUND.tag();

    /**
     * @param kind {@code charge}; {@code refund} for all that gives money back; empty for a record whose operation is not known
     */
    record Row(String stage, String kind, String currency) {

        static Row of(String stage, ObservedOperation known) {
            return new Row(stage, known.who.map(who -> who.kind().equals(CHARGE) ? CHARGE : REFUND).orElse(""),
                    known.who.map(Identity::currency).orElse(""));
        }
    }

    /** Money in minor units. */
    record Line(long in, long inMoney, long present, long presentMoney) {
        static final Line EMPTY = new Line(0, 0, 0, 0);

        Line plus(Line more) {
            return new Line(in + more.in, inMoney + more.inMoney, present + more.present, presentMoney + more.presentMoney);
        }

        Line minus(Line less) {
            return new Line(in - less.in, inMoney - less.inMoney, present - less.present, presentMoney - less.presentMoney);
        }
    }

    private static final String SEPARATOR = ":";

    private final KeyValueStore<String, byte[]> store;
    private final Map<Row, Line> lines = new HashMap<>();

    Books(KeyValueStore<String, byte[]> store) {
        this.store = store;
        try (var all = store.all()) {
            all.forEachRemaining(each -> lines.put(row(each.key), line(each.value)));
        }
    }

    static String ofTier(int tier) {
        return tier == 0 ? "requests" : "retry-" + tier;
    }

    /** What one operation adds to the lines that only its present state decides. */
    static Map<Row, Line> of(ObservedOperation known) {
        var adds = new HashMap<Row, Line>();
        long money = known.who.map(Identity::amount).orElse(0L);
        Whereabouts where = known.whereabouts();
        if (known.who.isPresent() && !known.refuted) {
            boolean ended = where == Whereabouts.ENDED;
            adds.put(Row.of(ACCEPTED, known), ended ? new Line(1, money, 0, 0) : new Line(1, money, 1, money));
            if (ended) {
                adds.put(Row.of(SETTLED, known), new Line(1, money, 0, 0));
            }
        }
        if (where == Whereabouts.AT_WORK || where == Whereabouts.WAITING && known.visit.step() > 0) {
            adds.put(Row.of(ofTier(known.visit.tier()), known), new Line(0, 0, 1, money));
        }
        if (known.isListed()) {
            adds.put(Row.of(DLQ, known), new Line(0, 0, 1, money));
        }
        return adds;
    }

    /** @param before what the operation added until now */
    void change(Map<Row, Line> before, ObservedOperation known, Fact fact, News news) {
        var change = new HashMap<>(of(known));
        before.forEach((row, line) -> change.merge(row, Line.EMPTY.minus(line), Line::plus));
        var entered = new Line(1, known.who.map(Identity::amount).orElse(0L), 0, 0);
        if (news.visit() && fact instanceof Fact.Work work) {
            change.merge(Row.of(ofTier(work.tier()), known), entered, Line::plus);
        }
        if (news.letter()) {
            change.merge(Row.of(DLQ, known), entered, Line::plus);
        }
        change.forEach((row, line) -> {
            if (!line.equals(Line.EMPTY)) {
                Line sum = lines.merge(row, line, Line::plus);
                store.put(row.stage() + SEPARATOR + row.kind() + SEPARATOR + row.currency(), bytes(sum));
            }
        });
    }

    Map<Row, Line> lines() {
        return Map.copyOf(lines);
    }

    /** Stages in the order of a payment's way. */
    static List<String> stages(int tiers) {
        var stages = new ArrayList<String>(List.of(ACCEPTED));
        for (int tier = 0; tier <= tiers; tier++) {
            stages.add(ofTier(tier));
        }
        stages.add(DLQ);
        stages.add(SETTLED);
        return stages;
    }

    private static Row row(String key) {
        String[] parts = key.split(SEPARATOR, -1);
        if (parts.length != 3) {
            throw new IllegalStateException("the witness's books are of another release, which this one cannot read: "
                    + "set CHARGEONCE_WITNESS_NAME to another name, so that it begins again");
        }
        return new Row(parts[0], parts[1], parts[2]);
    }

    private static byte[] bytes(Line line) {
        return ByteBuffer.allocate(4 * Long.BYTES).putLong(line.in).putLong(line.inMoney).putLong(line.present).putLong(line.presentMoney)
                .array();
    }

    private static Line line(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        return new Line(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }
}
