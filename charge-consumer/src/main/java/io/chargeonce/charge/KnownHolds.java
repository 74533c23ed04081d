// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import io.chargeonce.psp.Gateways;
import io.chargeonce.runtime.SeriesGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What people have paused and forced, as this process last read it. A worker reads it twice a second, so payments pay nothing for it.
 * While Postgres cannot be read, the last known holds stay. A claim that finds them older than a second reads them in its own
 * transaction: a process that was frozen never sends what was paused meanwhile. Any thread.
 */
final class KnownHolds {

    private static final Logger LOG = LoggerFactory.getLogger(KnownHolds.class);
    private static final Duration OLD = Duration.ofSeconds(1);

    private record Known(HoldTable.InForce inForce, Instant readAt) {}

    private final Database database;
    private final Gateways gateways;
    private final InstantSource clock;
    private final SeriesGauge held;
    private final SeriesGauge age;
    private volatile Known known = new Known(HoldTable.InForce.NONE, Instant.MIN);

    /** @param clock for durations: it must not jump */
    KnownHolds(Database database, Gateways gateways, InstantSource clock, MeterRegistry meters) {
        this.database = database;
        this.gateways = gateways;
        this.clock = clock;
        this.held = new SeriesGauge("chargeonce.hold", "1 while a person pauses or forces it", meters);
        this.age = new SeriesGauge("chargeonce.hold.age.seconds", "Since when", meters);
    }

    /** Reads once. Always returns 0: the next pass is not urgent. */
    int runOnce() {
        Instant begun = clock.instant();
        keep(database.withConnection(HoldTable::inForce), begun);
        return 0;
    }

    /** Reads in the caller's transaction if the worker has not read for a second. */
    void refreshIfOld(Connection connection) throws SQLException {
        Instant now = clock.instant();
        Instant readAt = known.readAt;
        if (readAt.equals(Instant.MIN) || Duration.between(readAt, now).abs().compareTo(OLD) > 0) {
            keep(HoldTable.inForce(connection), now);
        }
    }

    Optional<Hold> ofMerchant(String merchant) {
        return known.inForce.of(Hold.Kind.MERCHANT, merchant);
    }

    boolean isTierPaused(int tier) {
        List<Hold> holds = known.inForce.holds();
        return !holds.isEmpty() && known.inForce.of(Hold.Kind.TIER, Integer.toString(tier)).isPresent();
    }

    /** For people who look at a parked payment. */
    static String words(Hold hold) {
        return "%s %s is paused by %s".formatted(hold.kind().tag(), hold.name(), hold.by());
    }

    String words(Gateways.Choice.Paused paused) {
        return paused.psps().stream()
                .map(psp -> known.inForce.of(Hold.Kind.PSP, psp).map(KnownHolds::words).orElse("psp %s is paused".formatted(psp)))
                .collect(Collectors.joining(", ")) + (paused.others() ? ", and no other PSP is well" : "");
    }

    /** @param readAt when the read began: what was committed before is in it */
    private synchronized void keep(HoldTable.InForce read, Instant readAt) {
        if (readAt.isBefore(known.readAt)) {
            return;
        }
        Set<Hold> before = new HashSet<>(known.inForce.holds());
        known = new Known(read, readAt);
        gateways.hold(new Gateways.Held(psps(read, Hold.Action.PAUSE), psps(read, Hold.Action.FORCE)));
        held.set(read.holds().stream().collect(Collectors.toMap(KnownHolds::tags, hold -> 1)));
        age.set(read.holds().stream().collect(
                Collectors.toMap(KnownHolds::tags, hold -> Duration.between(hold.since(), read.now()).toMillis() / 1000.0)));
        log(before, new HashSet<>(read.holds()));
    }

    private static Set<String> psps(HoldTable.InForce read, Hold.Action action) {
        return read.holds().stream().filter(hold -> hold.kind() == Hold.Kind.PSP && hold.action() == action).map(Hold::name)
                .collect(Collectors.toSet());
    }

    private static Tags tags(Hold hold) {
        return Tags.of("kind", hold.kind().tag(), "name", hold.name(), "action", hold.action().tag());
    }

    private static void log(Set<Hold> before, Set<Hold> now) {
        now.stream().filter(hold -> !before.contains(hold)).forEach(hold -> LOG.warn("{} {} is {} by {} since {}{}: {}",
                hold.kind().tag(), hold.name(), hold.isPause() ? "paused" : "forced", hold.by(), hold.since(),
                hold.until().map(" until %s"::formatted).orElse(""), hold.reason()));
        before.stream().filter(hold -> !now.contains(hold) && now.stream().noneMatch(other -> other.isOf(hold.kind(), hold.name())))
                .forEach(hold -> LOG.warn("{} {} is not {} any more", hold.kind().tag(), hold.name(),
                        hold.isPause() ? "paused" : "forced"));
    }
}
