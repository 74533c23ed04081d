// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Books.Line;
import io.chargeonce.console.witness.Books.Row;
import io.chargeonce.console.witness.OverdueSum.Sum;
import io.chargeonce.console.witness.Recent.Grain;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** What all parts found, put together. The parts write, any thread reads. */
final class Board implements WitnessView {

    /** Causes of dead letters by which the database does not know the payment of a record. */
    private static final Set<String> REFUTING = Set.of("unknown_payment", "forgotten_payment");

    private final InstantSource clock;
    private final int tiers;
    private final Topics topics;
    private final Map<Integer, Sighting> parts = new ConcurrentHashMap<>();
    private final Map<Row, Instant> differsSince = new ConcurrentHashMap<>();
    /** By how much this host's clock seems to be ahead of the brokers', in milliseconds. */
    private volatile long ahead;
    /** Records of which the dead-letter queue says that the database does not know their payment. */
    private final Set<Fact.Source> unknownPayments = ConcurrentHashMap.newKeySet();
    private volatile Supplier<WitnessProgress> progress = () -> new WitnessProgress(WitnessProgress.State.STARTING, 0, 0, null, 0, "");
    private volatile Function<String, List<Hop>> journeys = payment -> List.of();

    Board(InstantSource clock, Topics topics, int tiers) {
        this.clock = clock;
        this.topics = topics;
        this.tiers = tiers;
    }

    void showProgress(Supplier<WitnessProgress> from) {
        progress = from;
    }

    void showJourneys(Function<String, List<Hop>> from) {
        journeys = from;
    }

    void publish(int part, Sighting sighting) {
        parts.put(part, sighting);
        if (sighting.youngest() != Long.MAX_VALUE) {
            ahead = sighting.youngest();
        }
        var differing = new HashMap<Row, Line>();
        parts.values().forEach(each -> each.missing().forEach((row, line) -> differing.merge(row, line, Line::plus)));
        differsSince.keySet().retainAll(differing.keySet());
        differing.keySet().forEach(row -> differsSince.putIfAbsent(row, clock.instant()));
    }

    void leave(int part) {
        parts.remove(part);
    }

    /** Of a live witness: a record that was just taken by a broker is a moment old. Negative if this host's clock is behind. */
    long ahead() {
        return ahead;
    }

    int parts() {
        return parts.size();
    }

    Collection<Sighting> sightings() {
        return parts.values();
    }

    /** Remembers the record that a dead letter tells about, if it tells that the database does not know the payment. */
    void refute(ObservedOperation known) {
        known.source.filter(source -> REFUTING.contains(known.cause)).ifPresent(unknownPayments::add);
    }

    boolean isRefuted(ObservedOperation known) {
        return known.visit.step() > 0
                && unknownPayments.contains(new Fact.Source(topics.ofTier(known.visit.tier()), known.visit.place()));
    }

    @Override
    public WitnessProgress progress() {
        return progress.get();
    }

    @Override
    public List<Stage> stages() {
        var lines = new HashMap<Row, Line>();
        var missing = new HashMap<Row, Line>();
        parts.values().forEach(part -> {
            part.lines().forEach((row, line) -> lines.merge(row, line, Line::plus));
            part.missing().forEach((row, line) -> missing.merge(row, line, Line::plus));
        });
        List<String> order = Books.stages(tiers);
        return lines.keySet().stream().filter(row -> order.contains(row.stage()))
                .sorted(Comparator.<Row>comparingInt(row -> order.indexOf(row.stage())).thenComparing(Row::kind)
                        .thenComparing(Row::currency))
                .map(row -> stage(row, lines.get(row), missing.getOrDefault(row, Line.EMPTY))).toList();
    }

    private Stage stage(Row row, Line line, Line missing) {
        return new Stage(row.stage(), row.kind(), row.currency(), line.in(), line.inMoney(), line.in() - line.present(),
                line.inMoney() - line.presentMoney(), line.present() - missing.present(), line.presentMoney() - missing.presentMoney(),
                missing.present(), missing.presentMoney(), missing.present() == 0 ? null : differsSince.get(row));
    }

    /** Differences that have lasted for this long, as operations per stage and currency. */
    Map<Row, Long> lasting(Duration atLeast) {
        Instant since = clock.instant().minus(atLeast);
        var lasting = new HashMap<Row, Long>();
        parts.values().forEach(part -> part.missing().forEach((row, line) -> {
            Instant began = differsSince.get(row);
            boolean lasts = began != null && !began.isAfter(since);
            lasting.merge(row, lasts ? line.present() : 0, Long::sum);
        }));
        return lasting;
    }

    @Override
    public List<OverdueOperation> overdue(int most) {
        return parts.values().stream().flatMap(part -> part.overdue().stream()).sorted(Comparator.comparing(OverdueOperation::dueBy))
                .limit(most)
                .toList();
    }

    @Override
    public OverdueSum overdueSum() {
        var sums = new TreeMap<String, Line>();
        parts.values().forEach(part -> part.late().forEach((currency, line) -> sums.merge(currency, line, Line::plus)));
        long oldest = parts.values().stream().mapToLong(Sighting::oldestDue).min().orElse(Long.MAX_VALUE);
        return new OverdueSum(sums.values().stream().mapToLong(Line::present).sum(),
                sums.entrySet().stream().map(each -> new Sum(each.getKey(), each.getValue().presentMoney(), each.getValue().present()))
                        .toList(),
                oldest == Long.MAX_VALUE ? null : Instant.ofEpochMilli(oldest));
    }

    @Override
    public List<Hop> journey(String paymentId) {
        return journeys.apply(paymentId);
    }

    @Override
    public Rates rates(RateBy by, Duration window) {
        Grain grain = Grain.of(window);
        long until = grain.start(clock.millis());
        long from = grain.start(clock.millis() - grain.window.toMillis());
        var sums = new TreeMap<Long, TreeMap<String, Recent.Cell>>();
        parts.values().forEach(part -> part.recent().cells().forEach((slot, cell) -> {
            if (slot.by() == by && slot.grain() == grain && slot.start() >= from) {
                sums.computeIfAbsent(slot.start(), first -> new TreeMap<>()).merge(slot.key(), cell, Recent.Cell::plus);
            }
        }));
        var points = new ArrayList<RatePoint>();
        sums.forEach((start, cells) -> cells.forEach((key, cell) -> points.add(
                new RatePoint(Instant.ofEpochMilli(start), key, cell.succeeded(), cell.failed(), cell.money()))));
        return new Rates(Instant.ofEpochMilli(from), Instant.ofEpochMilli(until), grain.slice, points);
    }

    @Override
    public List<Latency> latencies() {
        record Way(String from, String to) {}
        long from = clock.millis() - Recent.HOPS_KEPT;
        var spreads = new HashMap<Way, Spread>();
        parts.values().forEach(part -> part.recent().hops().forEach((slot, spread) -> {
            if (slot.start() >= from) {
                spreads.computeIfAbsent(new Way(slot.from(), slot.to()), first -> Spread.empty()).addAll(spread);
            }
        }));
        List<String> order = Books.stages(tiers);
        return spreads.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Way, Spread>>comparingInt(each -> order.indexOf(each.getKey().from()))
                        .thenComparingInt(each -> order.indexOf(each.getKey().to())))
                .map(each -> new Latency(each.getKey().from(), each.getKey().to(), each.getValue().quantile(0.5),
                        each.getValue().quantile(0.99), each.getValue().count()))
                .toList();
    }

    /**
     * What one look at all operations of one part found. Immutable, but for {@code recent}.
     *
     * @param missing    what is neither out nor in flight, as {@code present} of a line
     * @param overdue    the longest overdue, at most {@link #MOST_OVERDUE}
     * @param late       all that is overdue, by currency, as {@code present} of a line
     * @param oldestDue  when the longest overdue was due, in milliseconds; {@link Long#MAX_VALUE} if none is
     * @param open       how many operations have not ended
     * @param judgedAt   the time up to which every record was read; 0 if this look could judge nothing
     * @param unreadable records that could not be read, ever
     * @param missed     records that were deleted before they could be read, ever
     * @param missedAt   when that was last noticed; 0 if never
     * @param youngest   the age of the youngest record since the last look, by this host's clock; {@link Long#MAX_VALUE} if there was none
     */
    record Sighting(Map<Row, Line> lines, Map<Row, Line> missing, List<OverdueOperation> overdue, Map<String, Line> late, long oldestDue,
            long open,
            long judgedAt, long unreadable, long missed, long missedAt, long youngest, Recent recent) {

        static final int MOST_OVERDUE = 1_000;
    }
}
