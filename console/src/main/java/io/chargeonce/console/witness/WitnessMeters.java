// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Board.Sighting;
import io.chargeonce.console.witness.OverdueSum.Sum;
import io.chargeonce.runtime.SeriesGauge;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What alerts look at. One thread. */
final class WitnessMeters {

    /** A forged record may name any currency. */
    private static final int MOST_CURRENCIES = 40;
    private static final String NONE = "";

    private final Board board;
    private final Duration differenceAfter;
    private final SeriesGauge overdue;
    private final SeriesGauge difference;

    WitnessMeters(MeterRegistry meters, Board board, KafkaEvidence evidence, Duration differenceAfter, InstantSource clock) {
        this.board = board;
        this.differenceAfter = differenceAfter;
        this.overdue = new SeriesGauge("chargeonce.witness.overdue",
                "Operations that are neither settled, waiting nor dead within their time", meters);
        this.difference = new SeriesGauge("chargeonce.witness.difference",
                "Operations that came into a stage and are neither out nor in flight, for longer than the setting", meters);
        Gauge.builder("chargeonce.witness.overdue.oldest.seconds", board, all -> age(all.overdueSum(), clock))
                .description("How long ago the longest overdue operation was due").register(meters);
        Gauge.builder("chargeonce.witness.live", board, all -> all.progress().state() == WitnessProgress.State.LIVE ? 1 : 0)
                .description("1 while the witness has read everything up to the present").register(meters);
        Gauge.builder("chargeonce.witness.open", board, all -> all.sightings().stream().mapToLong(Sighting::open).sum())
                .description("Operations that have not ended").register(meters);
        Gauge.builder("chargeonce.witness.behind.records", evidence, KafkaEvidence::toRead)
                .description("Records that the witness has not read yet").register(meters);
        FunctionCounter
                .builder("chargeonce.witness.unreadable", board, all -> all.sightings().stream().mapToLong(Sighting::unreadable).sum())
                .description("Records that the witness could not read").register(meters);
        FunctionCounter.builder("chargeonce.witness.missed", board, all -> all.sightings().stream().mapToLong(Sighting::missed).sum())
                .description("Records that were deleted before the witness could read them").register(meters);
    }

    private static double age(OverdueSum sum, InstantSource clock) {
        return sum.oldestAt() == null ? 0 : Math.max(0, Duration.between(sum.oldestAt(), clock.instant()).toMillis() / 1000.0);
    }

    /** Without anything overdue or different there is one row that says 0, so that an alert never lacks its series. */
    void update() {
        var counts = new TreeMap<String, Long>();
        for (Sum sum : board.overdueSum().money()) {
            counts.merge(bounded(counts, sum.currency()), sum.count(), Long::sum);
        }
        counts.putIfAbsent(NONE, 0L);
        var byCurrency = new HashMap<Tags, Long>();
        counts.forEach((currency, count) -> byCurrency.put(Tags.of("currency", currency), count));
        overdue.set(byCurrency);
        var lasting = new TreeMap<String, Map<String, Long>>();
        board.lasting(differenceAfter).forEach((row, count) -> {
            Map<String, Long> ofStage = lasting.computeIfAbsent(row.stage(), first -> new TreeMap<>());
            ofStage.merge(bounded(ofStage, row.currency()), count, Long::sum);
        });
        lasting.computeIfAbsent(Books.ACCEPTED, first -> new TreeMap<>()).putIfAbsent(NONE, 0L);
        var byStage = new HashMap<Tags, Long>();
        lasting.forEach((stage, ofStage) -> ofStage
                .forEach((currency, count) -> byStage.put(Tags.of("stage", stage, "currency", currency), count)));
        difference.set(byStage);
    }

    private static String bounded(Map<String, Long> rows, String currency) {
        return rows.containsKey(currency) || rows.size() < MOST_CURRENCIES ? currency : Recent.OTHER;
    }
}
