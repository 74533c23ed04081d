// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Signed webhooks about attempts that have no row here. They are kept until the row appears or they are too old. */
public final class UnmatchedNotices {

    /** Per PSP. One more replaces the oldest: another system at the same account must neither keep out ours nor fill the disk. */
    public static final int MOST = 10_000;
    public static final Duration KEPT = Duration.ofDays(90);

    /** @param said the message's content; empty if it must be looked up at the PSP */
    public record Kept(String psp, String id, PspKey key, Optional<String> pspReference, Optional<Said> said) {}

    /** The content of a webhook. */
    public sealed interface Said {

        /** Empty if the message has no amount of a payment. */
        Optional<Money> money();
    }

    /** @param givesBack whether it is about a refund or a reversal instead of a charge */
    public record Ended(Optional<Money> money, boolean givesBack, Outcome outcome) implements Said {}

    /** @param at by the PSP's clock */
    public record CaptureFailed(Optional<Money> money, Optional<Instant> at, String reason) implements Said {}

    /** @param event in the PSP's words */
    public record TakenBack(Optional<Money> money, String event, String why) implements Said {}

    /** @param at by the PSP's clock */
    public record CapturedAgain(Optional<Money> money, Optional<Instant> at) implements Said {}

    public sealed interface Taken {}

    /** @param instead the older message that it replaced, as {@code notice key}; empty while there is room */
    public record New(Optional<String> instead) implements Taken {}

    public record Known() implements Taken {}

    /** All kept messages have found their attempts, or another message took the place meanwhile. There will be room soon. */
    public record Full() implements Taken {}

    private static final String CAPTURE_FAILED = "capture_failed";
    private static final String CAPTURED_AGAIN = "captured_again";
    private static final String TAKEN_BACK = "taken_back";

    private UnmatchedNotices() {}

    private static final String KEEP = """
            INSERT INTO unmatched_notice (psp, notice_id, psp_key, psp_reference, amount, currency, gives_back, outcome, cause, detail,
                                          happened_at)
            SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
             WHERE (SELECT count(*) FROM (SELECT FROM unmatched_notice WHERE psp = ? LIMIT ?) AS kept) < ?
            ON CONFLICT DO NOTHING
            """;

    private static final String IS_KEPT = "SELECT EXISTS (SELECT FROM unmatched_notice WHERE psp = ? AND notice_id = ?)";

    public static Taken keep(Connection connection, Kept notice) throws SQLException {
        if (insert(connection, notice)) {
            return new New(Optional.empty());
        }
        if (isKept(connection, notice)) {
            return new Known();
        }
        Optional<String> oldest = dropOldest(connection, notice.psp);
        return oldest.isPresent() && insert(connection, notice) ? new New(oldest) : new Full();
    }

    private static boolean insert(Connection connection, Kept notice) throws SQLException {
        Optional<Observation> observed = notice.said.map(said -> observation(notice.key, said));
        Optional<Money> money = notice.said.flatMap(Said::money);
        try (var statement = connection.prepareStatement(KEEP)) {
            statement.setString(1, notice.psp);
            statement.setString(2, notice.id);
            statement.setString(3, notice.key.value());
            statement.setString(4,
                    notice.pspReference.map(ForeignText::storable).or(() -> observed.map(Observation::pspReference)).orElse(null));
            statement.setObject(5, money.map(Money::minorUnits).orElse(null), Types.BIGINT);
            statement.setString(6, money.map(Money::currency).orElse(null));
            statement.setObject(7, notice.said.map(said -> said instanceof Ended ended && ended.givesBack).orElse(null), Types.BOOLEAN);
            statement.setString(8, observed.map(Observation::outcome).orElse(null));
            statement.setString(9, observed.map(Observation::cause).orElse(null));
            statement.setString(10, observed.map(Observation::detail).orElse(null));
            statement.setObject(11, notice.said.flatMap(UnmatchedNotices::at).map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null),
                    Types.TIMESTAMP_WITH_TIMEZONE);
            statement.setString(12, notice.psp);
            statement.setInt(13, MOST);
            statement.setInt(14, MOST);
            return statement.executeUpdate() == 1;
        }
    }

    private static boolean isKept(Connection connection, Kept notice) throws SQLException {
        try (var statement = connection.prepareStatement(IS_KEPT)) {
            statement.setString(1, notice.psp);
            statement.setString(2, notice.id);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
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
        try (var statement = connection.prepareStatement(DROP_OLDEST)) {
            statement.setString(1, psp);
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of("%s %s".formatted(row.getString(1), row.getString(2))) : Optional.empty();
            }
        }
    }

    private static Optional<Instant> at(Said said) {
        return switch (said) {
            case Ended ended -> Optional.empty();
            case TakenBack taken -> Optional.empty();
            case CaptureFailed failed -> failed.at;
            case CapturedAgain again -> again.at;
        };
    }

    /** In the columns of an observation. Messages about a capture have their own outcome there. */
    private static Observation observation(PspKey key, Said said) {
        return switch (said) {
            case Ended ended -> Observation.of(key, "webhook", ended.outcome);
            case CaptureFailed failed -> new Observation(key, "webhook", AttemptState.UNKNOWN, CAPTURE_FAILED, null, failed.reason, null);
            case TakenBack taken -> new Observation(key, "webhook", AttemptState.UNKNOWN, TAKEN_BACK, taken.event, taken.why, null);
            case CapturedAgain again -> new Observation(key, "webhook", AttemptState.UNKNOWN, CAPTURED_AGAIN, null, null, null);
        };
    }

    private static final String MATCHED = """
            SELECT notice.psp, notice_id, notice.psp_key, notice.psp_reference, amount, currency, gives_back, outcome, notice.cause, detail,
                   happened_at
              FROM unmatched_notice AS notice JOIN payment_attempt AS attempt ON attempt.psp_key = notice.psp_key
                  AND attempt.psp = notice.psp
             WHERE notice.psp = ANY (?) AND (notice.psp, notice_id) > (?, ?)
             ORDER BY notice.psp, notice_id LIMIT ?
            """;

    /**
     * Kept messages of these PSPs whose attempt has a row now.
     *
     * @param after the last message of the previous call, because some may stay; empty to start with the first
     */
    public static List<Kept> matched(Connection connection, List<String> psps, Optional<Kept> after, int limit) throws SQLException {
        var matched = new ArrayList<Kept>();
        try (var statement = connection.prepareStatement(MATCHED)) {
            statement.setArray(1, connection.createArrayOf("text", psps.toArray()));
            statement.setString(2, after.map(Kept::psp).orElse(""));
            statement.setString(3, after.map(Kept::id).orElse(""));
            statement.setInt(4, limit);
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    matched.add(new Kept(row.getString("psp"), row.getString("notice_id"), new PspKey(row.getString("psp_key")),
                            Optional.ofNullable(row.getString("psp_reference")), said(row)));
                }
            }
        }
        return matched;
    }

    private static Optional<Said> said(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome == null) {
            return Optional.empty();
        }
        Optional<Money> money = row.getString("currency") == null ? Optional.empty()
                : Optional.of(new Money(row.getLong("amount"), row.getString("currency")));
        Optional<Instant> at = Optional.ofNullable(row.getObject("happened_at", OffsetDateTime.class)).map(OffsetDateTime::toInstant);
        return Optional.of(switch (outcome) {
            case CAPTURE_FAILED -> new CaptureFailed(money, at, row.getString("detail"));
            case CAPTURED_AGAIN -> new CapturedAgain(money, at);
            case TAKEN_BACK -> new TakenBack(money, row.getString("cause"), row.getString("detail"));
            default -> new Ended(money, row.getBoolean("gives_back"), ObservationTable.outcome(row));
        });
    }

    private static final String FORGET = "DELETE FROM unmatched_notice WHERE psp = ? AND notice_id = ?";

    /** The message was matched and recorded. */
    public static void forget(Connection connection, String psp, String id) throws SQLException {
        try (var statement = connection.prepareStatement(FORGET)) {
            statement.setString(1, psp);
            statement.setString(2, id);
            statement.executeUpdate();
        }
    }

    private static final String FORGET_OLD = """
            DELETE FROM unmatched_notice WHERE received_at < clock_timestamp() - ? * interval '1 second' RETURNING psp, notice_id, psp_key
            """;

    /** @return the messages that never found an attempt, as {@code psp notice key} */
    public static List<String> forgetOld(Connection connection) throws SQLException {
        var old = new ArrayList<String>();
        try (var statement = connection.prepareStatement(FORGET_OLD)) {
            statement.setLong(1, KEPT.toSeconds());
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    old.add("%s %s %s".formatted(row.getString(1), row.getString(2), row.getString(3)));
                }
            }
        }
        return old;
    }
}
