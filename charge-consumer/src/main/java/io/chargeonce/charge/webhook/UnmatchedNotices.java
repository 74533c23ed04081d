// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.ForeignText;
import io.chargeonce.ledger.Observation;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Signed webhooks about attempts that have no row here. They are kept until the row appears or they are too old. */
public final class UnmatchedNotices {

    /** Per PSP. One more replaces the oldest: another system at the same account must neither keep out ours nor fill the disk. */
    public static final int MOST = 10_000;
    public static final Duration KEPT = Duration.ofDays(90);

    public record Kept(String psp, Notice notice) {}

    public sealed interface Taken {}

    /** @param instead the older message that it replaced, as {@code notice key}; empty while there is room */
    public record New(Optional<String> instead) implements Taken {}

    public record Known() implements Taken {}

    /** All kept messages have found their attempts, or another message took the place meanwhile. There will be room soon. */
    public record Full() implements Taken {}

    private static final String CAPTURE_FAILED = "capture_failed";
    private static final String CAPTURED_AGAIN = "captured_again";
    private static final String TAKEN_BACK = "taken_back";
    private static final String DISPUTED = "disputed";

    private UnmatchedNotices() {}

    private static final String KEEP = """
            INSERT INTO unmatched_notice (psp, notice_id, psp_key, psp_reference, amount, currency, gives_back, outcome, cause, detail,
                                          dispute, happened_at)
            SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::json, ?
             WHERE (SELECT count(*) FROM (SELECT FROM unmatched_notice WHERE psp = ? LIMIT ?) AS kept) < ?
            ON CONFLICT DO NOTHING
            """;

    private static final String IS_KEPT = "SELECT FROM unmatched_notice WHERE psp = ? AND notice_id = ?";

    public static Taken keep(Connection connection, String psp, Notice notice) throws SQLException {
        if (insert(connection, psp, notice)) {
            return new New(Optional.empty());
        }
        if (Sql.any(connection, IS_KEPT, psp, notice.id())) {
            return new Known();
        }
        Optional<String> oldest = dropOldest(connection, psp);
        return oldest.isPresent() && insert(connection, psp, notice) ? new New(oldest) : new Full();
    }

    private static boolean insert(Connection connection, String psp, Notice notice) throws SQLException {
        Optional<Observation> observed = notice.said().map(said -> observation(notice.key(), said));
        Optional<Money> money = notice.said().flatMap(Notice.Said::money);
        return Sql.update(connection, KEEP, psp, notice.id(), notice.key().value(),
                notice.pspReference().map(ForeignText::storable).or(() -> observed.map(Observation::pspReference)),
                money.map(Money::minorUnits), money.map(Money::currency),
                notice.said().map(said -> said instanceof Notice.Ended ended && ended.givesBack()), observed.map(Observation::outcome),
                observed.map(Observation::cause), observed.map(Observation::detail), notice.said().flatMap(UnmatchedNotices::dispute),
                notice.said().flatMap(UnmatchedNotices::at),
                psp, MOST, MOST) == 1;
    }

    private static final String DROP_OLDEST = """
            DELETE FROM unmatched_notice
             WHERE (psp, notice_id) IN (SELECT psp, notice_id FROM unmatched_notice AS kept
                                         WHERE psp = ? AND NOT EXISTS (SELECT FROM payment_attempt WHERE psp_key = kept.psp_key)
                                         ORDER BY received_at LIMIT 1)
            RETURNING notice_id, psp_key
            """;

    /** A message that has found its attempt is ours for certain, and stays until it is taken. */
    private static Optional<String> dropOldest(Connection connection, String psp) throws SQLException {
        return Sql.first(connection, DROP_OLDEST, row -> "%s %s".formatted(row.getString(1), row.getString(2)), psp);
    }

    private static Optional<Instant> at(Notice.Said said) {
        return switch (said) {
            case Notice.Ended ended -> Optional.empty();
            case Notice.TakenBack taken -> Optional.empty();
            case Notice.Disputed disputed -> Optional.empty();
            case Notice.CaptureFailed failed -> failed.at();
            case Notice.CapturedAgain again -> again.at();
        };
    }

    private static Optional<String> dispute(Notice.Said said) {
        return said instanceof Notice.Disputed disputed ? Optional.of(PaymentJson.MAPPER.writeValueAsString(disputed.report()))
                : Optional.empty();
    }

    /** In the columns of an observation. Messages about a capture have their own outcome there. */
    private static Observation observation(PspKey key, Notice.Said said) {
        return switch (said) {
            case Notice.Ended ended -> Observation.of(key, "webhook", ended.outcome());
            case Notice.CaptureFailed failed ->
                new Observation(key, "webhook", AttemptState.UNKNOWN, CAPTURE_FAILED, null, failed.reason(), null);
            case Notice.TakenBack taken ->
                new Observation(key, "webhook", AttemptState.UNKNOWN, TAKEN_BACK, taken.event(), taken.why(), null);
            case Notice.Disputed disputed ->
                new Observation(key, "webhook", AttemptState.UNKNOWN, DISPUTED, disputed.report().event(), null, null);
            case Notice.CapturedAgain again -> new Observation(key, "webhook", AttemptState.UNKNOWN, CAPTURED_AGAIN, null, null, null);
        };
    }

    private static final String MATCHED = """
            SELECT notice.psp, notice_id, notice.psp_key, notice.psp_reference, amount, currency, gives_back, outcome, notice.cause, detail,
                   notice.dispute, happened_at
              FROM unmatched_notice AS notice
             WHERE notice.psp = ANY (?) AND (notice.psp, notice_id) > (?, ?)
               AND (EXISTS (SELECT FROM payment_attempt AS attempt WHERE attempt.psp_key = notice.psp_key AND attempt.psp = notice.psp)
                    OR EXISTS (SELECT FROM dispute WHERE dispute.psp = notice.psp AND dispute.reference = notice.dispute ->> 'reference')
                    OR EXISTS (SELECT FROM psp_observation AS heard JOIN payment_attempt AS attempt USING (psp_key)
                                WHERE heard.psp_reference COLLATE "C" = notice.dispute ->> 'capture' AND source = 'webhook'
                                  AND attempt.psp = notice.psp AND operation = 'charge'))
             ORDER BY notice.psp, notice_id LIMIT ?
            """;

    /**
     * Kept messages of these PSPs whose attempt has a row now.
     *
     * @param after the last message of the previous call, because some may stay; empty to start with the first
     */
    public static List<Kept> matched(Connection connection, List<String> psps, Optional<Kept> after, int limit) throws SQLException {
        return Sql.all(connection, MATCHED, row -> new Kept(row.getString("psp"), new Notice(row.getString("notice_id"),
                new PspKey(row.getString("psp_key")), Optional.ofNullable(row.getString("psp_reference")), said(row))), psps,
                after.map(Kept::psp).orElse(""), after.map(kept -> kept.notice.id()).orElse(""), limit);
    }

    private static Optional<Notice.Said> said(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome == null) {
            return Optional.empty();
        }
        Optional<Money> money = row.getString("currency") == null ? Optional.empty()
                : Optional.of(new Money(row.getLong("amount"), row.getString("currency")));
        Optional<Instant> at = Optional.ofNullable(Sql.instant(row, "happened_at"));
        return Optional.of(switch (outcome) {
            case CAPTURE_FAILED -> new Notice.CaptureFailed(money, at, row.getString("detail"));
            case CAPTURED_AGAIN -> new Notice.CapturedAgain(money, at);
            case DISPUTED -> new Notice.Disputed(PaymentJson.MAPPER.readValue(row.getString("dispute"), Dispute.Report.class));
            case TAKEN_BACK -> new Notice.TakenBack(money, row.getString("cause"), row.getString("detail"));
            default -> new Notice.Ended(money, row.getBoolean("gives_back"), ObservationTable.outcome(row));
        });
    }

    private static final String FORGET = "DELETE FROM unmatched_notice WHERE psp = ? AND notice_id = ?";

    /** The message was matched and recorded. */
    public static void forget(Connection connection, String psp, String id) throws SQLException {
        Sql.update(connection, FORGET, psp, id);
    }

    private static final String FORGET_OLD = """
            DELETE FROM unmatched_notice WHERE received_at < clock_timestamp() - ? * interval '1 second' RETURNING psp, notice_id, psp_key
            """;

    /** @return the messages that never found an attempt, as {@code psp notice key} */
    public static List<String> forgetOld(Connection connection) throws SQLException {
        return Sql.all(connection, FORGET_OLD, row -> "%s %s %s".formatted(row.getString(1), row.getString(2), row.getString(3)),
                KEPT.toSeconds());
    }
}
