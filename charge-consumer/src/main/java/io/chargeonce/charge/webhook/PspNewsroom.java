// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.PspHealthTable;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.PspNews;
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
 * Tells the other processes what this one knows of the PSPs, and hears what they know: off the way of payments, in one short
 * transaction. For one thread.
 */
public final class PspNewsroom {

    /** Whether it has changed or not: who is silent for a minute counts as gone. */
    private static final Duration TOLD_EVERY = Duration.ofSeconds(10);
    /** Longer ago makes no difference. */
    private static final Duration LONG_AGO = Duration.ofDays(1);

    private final Database database;
    private final Gateways gateways;
    private final UUID process = UUID.randomUUID();
    private Map<String, PspNews> told = Map.of();
    private Instant toldAt = Instant.MIN;

    public PspNewsroom(Database database, Gateways gateways) {
        this.database = database;
        this.gateways = gateways;
    }

    /** Tells and hears once; returns 0, for there is never more to do at once. */
    public int runOnce() {
        Map<String, PspNews> news = gateways.news();
        Instant now = gateways.now();
        boolean due = toldAt.equals(Instant.MIN) || Duration.between(toldAt, now).abs().compareTo(TOLD_EVERY) >= 0;
        boolean tells = due || !news.equals(told);
        List<PspHealthTable.Row> heard = tells ? database.inTransaction(connection -> exchange(connection, news, now, due))
                : database.withConnection(connection -> PspHealthTable.others(connection, process));
        if (tells) {
            told = news;
            toldAt = now;
        }
        Instant heardAt = gateways.now();
        heard.stream().collect(Collectors.groupingBy(PspHealthTable.Row::psp,
                Collectors.mapping(row -> read(row, heardAt), Collectors.toList())))
                .forEach(gateways::learn);
        return 0;
    }

    private List<PspHealthTable.Row> exchange(Connection connection, Map<String, PspNews> news, Instant now, boolean forgets)
            throws SQLException {
        if (forgets) {
            PspHealthTable.forgetOld(connection);
        }
        PspHealthTable.tell(connection, process, news.entrySet().stream().map(one -> row(one.getKey(), one.getValue(), now)).toList());
        return PspHealthTable.others(connection, process);
    }

    private static PspHealthTable.Row row(String psp, PspNews news, Instant now) {
        return new PspHealthTable.Row(psp, age(news.lastGood(), now).orElse(LONG_AGO), age(news.lastBad(), now),
                age(news.unwellFrom(), now),
                age(news.lastUnwell(), now),
                news.isOpen(), news.row(), news.inARow().stream().sorted().collect(Collectors.joining(",")));
    }

    private static Optional<Duration> age(Instant at, Instant now) {
        return at.isBefore(now.minus(LONG_AGO)) ? Optional.empty() : Optional.of(Duration.between(at, now));
    }

    private static PspNews read(PspHealthTable.Row row, Instant now) {
        Set<String> payments = row.inARow().isEmpty() ? Set.of() : new HashSet<>(Arrays.asList(row.inARow().split(",")));
        return new PspNews(now.minus(row.good()), row.bad().map(now::minus).orElse(Instant.MIN),
                row.unwellFrom().map(now::minus).orElse(Instant.MIN), row.unwell().map(now::minus).orElse(Instant.MIN),
                row.open(), row.row(), payments);
    }
}
