// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.PspHealthTable;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.PspHealthReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reports to the other processes what this one knows about the PSPs, and where it sends payments, and reads what they know: outside the
 * path of payments, in one short transaction. For one thread.
 */
public final class PspHealthSync {

    /** Reported this often even without a change: a process that is silent for a minute counts as gone. */
    private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
    /** Anything longer ago makes no difference. */
    private static final Duration LONG_AGO = Duration.ofDays(1);

    private final Database database;
    private final Gateways gateways;
    private final Routes routes;
    private final List<Duration> tiers;
    private final Optional<Instant> askFirstUntil;
    private final UUID process = UUID.randomUUID();
    private Map<String, PspHealthReport> reported = Map.of();
    private Instant reportedAt = Instant.MIN;

    /**
     * @param tiers         reported too, so that people see a process whose retry tiers are not those that were agreed
     * @param askFirstUntil reported too, so that no cancel is final before the PSPs were queried
     */
    public PspHealthSync(Database database, Gateways gateways, Routes routes, List<Duration> tiers, Optional<Instant> askFirstUntil) {
        this.database = database;
        this.tiers = tiers;
        this.askFirstUntil = askFirstUntil;
        this.gateways = gateways;
        this.routes = routes;
    }

    /** Reports and reads once. Always returns 0: the next pass is not urgent. */
    public int runOnce() {
        Map<String, PspHealthReport> news = gateways.news();
        Instant now = gateways.now();
        boolean due = reportedAt.equals(Instant.MIN) || Duration.between(reportedAt, now).abs().compareTo(REPORT_EVERY) >= 0;
        boolean reports = due || !news.equals(reported);
        List<PspHealthTable.Row> others = reports ? database.inTransaction(connection -> exchange(connection, news, now, due))
                : database.withConnection(connection -> PspHealthTable.others(connection, process));
        if (reports) {
            reported = news;
            reportedAt = now;
        }
        Instant readAt = gateways.now();
        Map<String, List<PspHealthReport>> told = others.stream().collect(Collectors.groupingBy(PspHealthTable.Row::psp,
                Collectors.mapping(row -> read(row, readAt), Collectors.toList())));
        // That no other process is left is news too.
        gateways.psps().forEach(psp -> gateways.learn(psp, told.getOrDefault(psp, List.of())));
        return 0;
    }

    private List<PspHealthTable.Row> exchange(Connection connection, Map<String, PspHealthReport> news, Instant now, boolean forgets)
            throws SQLException {
        if (forgets) {
            PspHealthTable.forgetOld(connection);
        }
        PspHealthTable.report(connection, process, routes.text(), tiers, askFirstUntil,
                news.entrySet().stream().map(one -> row(one.getKey(), one.getValue(), now)).toList());
        return PspHealthTable.others(connection, process);
    }

    private static PspHealthTable.Row row(String psp, PspHealthReport news, Instant now) {
        return new PspHealthTable.Row(psp, age(news.lastGood(), now).orElse(LONG_AGO), age(news.lastBad(), now),
                age(news.unwellFrom(), now),
                age(news.lastUnwell(), now),
                news.isOpen(), news.row(), news.inARow().stream().sorted().collect(Collectors.joining(",")), age(news.lastAsked(), now));
    }

    private static Optional<Duration> age(Instant at, Instant now) {
        return at.isBefore(now.minus(LONG_AGO)) ? Optional.empty() : Optional.of(Duration.between(at, now));
    }

    private static PspHealthReport read(PspHealthTable.Row row, Instant now) {
        Set<String> payments = row.inARow().isEmpty() ? Set.of() : new HashSet<>(Arrays.asList(row.inARow().split(",")));
        return new PspHealthReport(now.minus(row.good()), row.bad().map(now::minus).orElse(Instant.MIN),
                row.unwellFrom().map(now::minus).orElse(Instant.MIN), row.unwell().map(now::minus).orElse(Instant.MIN),
                row.open(), row.row(), payments, row.asked().map(now::minus).orElse(Instant.MIN));
    }
}
