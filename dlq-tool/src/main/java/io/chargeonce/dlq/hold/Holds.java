// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.hold;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Pauses a PSP, a merchant or a tier until a person resumes it, and overrules a PSP's breaker. Every charging process obeys within two
 * seconds. A call that is under way then may still finish. A hold moves no money, so one person is enough; the database records who did it
 * and why. Any thread, any number of people at once: the last one counts.
 */
public final class Holds {

    /** The longest time for which a breaker may be overruled. */
    public static final Duration LONGEST_FORCE = Duration.ofHours(24);
    /** A longer reason is refused. */
    public static final int LONGEST_REASON = 500;
    private static final int LOOKED_AT = 1_000;

    private final DeadLetterQueue queue;

    public Holds(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** What is in force, and the time, by the database's clock. */
    public HoldTable.InForce inForce() {
        return queue.database().withConnection(HoldTable::inForce);
    }

    public List<Hold> list() {
        return inForce().holds();
    }

    /** Present if nothing of this kind has this name: a typing error would pause nothing, and look as if it did. */
    public Optional<KnownValues.Unknown> unknown(Hold.Kind kind, String name) {
        return switch (kind) {
            case PSP -> missing("the PSP", Optional.of(name), Optional.empty(), Optional.empty());
            case MERCHANT -> missing("the merchant", Optional.empty(), Optional.of(name), Optional.empty());
            case TIER -> missing("the tier", Optional.empty(), Optional.empty(),
                    Optional.of(name.matches("[1-9]\\d{0,8}") ? Integer.parseInt(name) : Integer.MAX_VALUE))
                    .map(unknown -> new KnownValues.Unknown(unknown.option(), name, unknown.known()));
        };
    }

    private Optional<KnownValues.Unknown> missing(String what, Optional<String> psp, Optional<String> merchant, Optional<Integer> tier) {
        return KnownValues.missing(queue, Optional.empty(), psp, merchant, tier, Optional.empty()).stream()
                .map(unknown -> new KnownValues.Unknown(what, unknown.value(), unknown.known())).findFirst();
    }

    /** What a pause until then would concern. Changes nothing. */
    public HoldEffect look(Hold.Kind kind, String name, Optional<Instant> until) {
        return queue.database().withConnection(connection -> look(connection, kind, name, until));
    }

    /** Nothing of it is tried until it is resumed or the time is over. Replaces what held it before. */
    public Hold pause(Hold.Kind kind, String name, Optional<Instant> until, AuditContext by) {
        return put(kind, name, Hold.Action.PAUSE, until, by);
    }

    /** The PSP gets payments although its breaker is open. Its limits hold. Replaces what held it before. */
    public Hold force(String psp, Instant until, AuditContext by) {
        return put(Hold.Kind.PSP, psp, Hold.Action.FORCE, Optional.of(until), by);
    }

    /** @return what held it; empty if nothing did */
    public Optional<Hold> resume(Hold.Kind kind, String name, AuditContext by) {
        return queue.change(connection -> HoldTable.lift(connection, kind, name, reason(by), by.run(), by.claim()));
    }

    private Hold put(Hold.Kind kind, String name, Hold.Action action, Optional<Instant> until, AuditContext by) {
        return queue.change(connection -> HoldTable.put(connection, kind, name, action, reason(by), until, by.run(), by.claim()));
    }

    private static String reason(AuditContext by) {
        return by.reason().orElseThrow(() -> new IllegalArgumentException("a hold needs a reason"));
    }

    /** What waits in the tiers for it: the same that {@code waiting} shows with this filter, and tries with {@code --now}. */
    private static WaitingFilter filter(Hold.Kind kind, String name) {
        return switch (kind) {
            case PSP -> WaitingFilter.everything().psp(name);
            case MERCHANT -> WaitingFilter.everything().merchant(name);
            case TIER -> WaitingFilter.everything().tier(Integer.parseInt(name));
        };
    }

    private static final String RECENT = """
            SELECT currency, count(*) FILTER (WHERE meant), coalesce(sum(amount) FILTER (WHERE meant), 0), count(*), min(sent_at)
              FROM (SELECT currency, amount, sent_at, CASE wanted.kind WHEN 'psp' THEN psp = wanted.name
                                                                       WHEN 'merchant' THEN merchant_id = wanted.name
                                                                       ELSE false END AS meant
                      FROM (SELECT operation_id, psp, sent_at FROM payment_attempt ORDER BY claimed_xid DESC LIMIT ?) AS latest
                      JOIN operation USING (operation_id)
                     CROSS JOIN (SELECT ?::text AS kind, ?::text AS name) AS wanted) AS attempts
             GROUP BY currency
            """;

    private static final String ASKED = """
            SELECT count(*) FROM waiting JOIN operation_now USING (operation_id)
             CROSS JOIN (SELECT ?::text AS kind, ?::text AS name) AS wanted
             WHERE list = 'query'
               AND CASE wanted.kind WHEN 'psp' THEN lane = wanted.name WHEN 'merchant' THEN merchant_id = wanted.name ELSE false END
            """;

    private static final String OTHER_PSPS = "SELECT DISTINCT psp FROM psp_health WHERE psp <> ? ORDER BY psp";

    private record Recent(Sum sum, long lookedAt, Optional<Instant> since) {

        Recent plus(Recent more) {
            return new Recent(sum.plus(more.sum), lookedAt + more.lookedAt,
                    Stream.of(since, more.since).flatMap(Optional::stream).min(Comparator.naturalOrder()));
        }
    }

    private static HoldEffect look(Connection connection, Hold.Kind kind, String name, Optional<Instant> until) throws SQLException {
        WaitingPayments.Deadlines waiting = WaitingPayments.deadlines(connection, filter(kind, name), until);
        Recent recent = Sql.all(connection, RECENT, row -> new Recent(row.getLong(2) == 0 ? Sum.NOTHING
                : Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3)), row.getLong(4), Optional.ofNullable(Sql.instant(row, 5))),
                LOOKED_AT, kind.tag(), name).stream().reduce(new Recent(Sum.NOTHING, 0, Optional.empty()), Recent::plus);
        return new HoldEffect(HoldTable.inForce(connection).of(kind, name), waiting.sum(), waiting.expiring(),
                waiting.firstDeadline(), recent.sum, recent.lookedAt, recent.since,
                Sql.one(connection, ASKED, row -> row.getLong(1), kind.tag(), name),
                kind == Hold.Kind.PSP ? Sql.all(connection, OTHER_PSPS, row -> row.getString(1), name) : List.of());
    }
}
