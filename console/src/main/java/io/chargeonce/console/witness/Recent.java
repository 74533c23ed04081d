// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Identity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What succeeded and failed lately, and how long it took from stage to stage, in slices of time. One thread writes, any may read. The store
 * has it up to the last {@link #keep}: after a crash up to a second of it may be missing or counted twice, for it is for people and no
 * alert follows from it.
 */
final class Recent {

    /** How long a slice is, and for how long slices of that length are kept. */
    enum Grain {
        FINE(Duration.ofSeconds(10), Duration.ofMinutes(5)),
        MINUTES(Duration.ofMinutes(1), Duration.ofHours(1)),
        QUARTERS(Duration.ofMinutes(15), Duration.ofDays(1));

        final Duration slice;
        final Duration window;

        Grain(Duration slice, Duration window) {
            this.slice = slice;
            this.window = window;
        }

        /** Of the slice that a moment is in. */
        long start(long at) {
            return Recent.start(at, slice.toMillis());
        }

        static Grain of(Duration window) {
            return Arrays.stream(values()).filter(grain -> grain.window.compareTo(window) >= 0).findFirst().orElse(QUARTERS);
        }
    }

    record Slot(RateBy by, Grain grain, long start, String key) {}

    record Cell(long succeeded, long failed, Map<String, Long> money) {

        Cell plus(Cell more) {
            var sum = new HashMap<>(money);
            more.money.forEach((currency, amount) -> sum.merge(currency, amount, Long::sum));
            return new Cell(succeeded + more.succeeded, failed + more.failed, Map.copyOf(sum));
        }
    }

    record HopSlot(long start, String from, String to) {}

    static final String OTHER = "other";
    private static final int MOST_KEYS = 50;
    private static final long HOP_SLICE = Duration.ofMinutes(5).toMillis();
    static final long HOPS_KEPT = Duration.ofHours(1).toMillis();

    private final KeyValueStore<String, byte[]> store;
    private final Map<Slot, Cell> cells = new ConcurrentHashMap<>();
    private final Map<HopSlot, Spread> hops = new ConcurrentHashMap<>();
    private final Map<RateBy, Set<String>> keys = new HashMap<>();
    private final Set<Slot> changed = new HashSet<>();
    private final Set<HopSlot> changedHops = new HashSet<>();

    Recent(KeyValueStore<String, byte[]> store) {
        this.store = store;
        try (var all = store.all()) {
            all.forEachRemaining(this::restore);
        }
        collectKeys();
    }

    private void restore(KeyValue<String, byte[]> each) {
        String[] parts = each.key.split("\\|", 5);
        if (parts[0].equals("hop")) {
            hops.put(new HopSlot(Long.parseLong(parts[1]), parts[2], parts[3]), Spread.of(each.value));
        } else {
            cells.put(new Slot(RateBy.valueOf(parts[1]), Grain.valueOf(parts[2]), Long.parseLong(parts[3]), parts[4]), cell(each.value));
        }
    }

    void count(RateBy by, String key, boolean succeeded, Identity who, long at) {
        Set<String> known = keys.computeIfAbsent(by, first -> new HashSet<>());
        String bounded = known.contains(key) || known.size() < MOST_KEYS ? key : OTHER;
        known.add(bounded);
        var one = new Cell(succeeded ? 1 : 0, succeeded ? 0 : 1, Map.of(who.currency(), who.amount()));
        for (Grain grain : Grain.values()) {
            var slot = new Slot(by, grain, grain.start(at), bounded);
            cells.merge(slot, one, Cell::plus);
            changed.add(slot);
        }
    }

    /** @param took in milliseconds; two clocks may make it negative */
    void took(String from, String to, long took, long at) {
        var slot = new HopSlot(start(at, HOP_SLICE), from, to);
        hops.computeIfAbsent(slot, first -> Spread.empty()).add(Math.max(0, took));
        changedHops.add(slot);
    }

    /** Writes what changed to the store, and forgets what is older than its window. */
    void keep(long now) {
        changed.forEach(slot -> store.put(text(slot), bytes(cells.get(slot))));
        changedHops.forEach(slot -> store.put(text(slot), hops.get(slot).toBytes()));
        changed.clear();
        changedHops.clear();
        List<Slot> old =
                cells.keySet().stream().filter(slot -> slot.start < now - slot.grain.window.plus(slot.grain.slice).toMillis()).toList();
        List<HopSlot> oldHops = hops.keySet().stream().filter(slot -> slot.start < now - HOPS_KEPT - HOP_SLICE).toList();
        old.forEach(slot -> store.delete(text(slot)));
        old.forEach(cells::remove);
        oldHops.forEach(slot -> store.delete(text(slot)));
        oldHops.forEach(hops::remove);
        if (!old.isEmpty()) {
            collectKeys();
        }
    }

    private void collectKeys() {
        keys.clear();
        cells.keySet().forEach(slot -> keys.computeIfAbsent(slot.by, first -> new HashSet<>()).add(slot.key));
    }

    Map<Slot, Cell> cells() {
        return cells;
    }

    Map<HopSlot, Spread> hops() {
        return hops;
    }

    private static long start(long at, long slice) {
        return at - Math.floorMod(at, slice);
    }

    private static String text(Slot slot) {
        return "rate|%s|%s|%d|%s".formatted(slot.by, slot.grain, slot.start, slot.key);
    }

    private static String text(HopSlot slot) {
        return "hop|%d|%s|%s".formatted(slot.start, slot.from, slot.to);
    }

    private static byte[] bytes(Cell cell) {
        List<Map.Entry<String, Long>> money = new ArrayList<>(cell.money.entrySet());
        var out = ByteBuffer.allocate(2 * Long.BYTES + money.size() * (3 + Long.BYTES)).putLong(cell.succeeded).putLong(cell.failed);
        money.forEach(each -> out.put(each.getKey().getBytes(StandardCharsets.US_ASCII)).putLong(each.getValue()));
        return out.array();
    }

    private static Cell cell(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        long succeeded = in.getLong();
        long failed = in.getLong();
        var money = new HashMap<String, Long>();
        while (in.hasRemaining()) {
            var currency = new byte[3];
            in.get(currency);
            money.put(new String(currency, StandardCharsets.US_ASCII), in.getLong());
        }
        return new Cell(succeeded, failed, Map.copyOf(money));
    }
}
