// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.DeclineFailover;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Who may send payments, and within which limits. Every change leaves an audit record. Any thread. */
public final class MerchantTable {

    public static final String ID_RULE = Merchant.ID_RULE;

    /**
     * What may be set about a merchant; what is empty stays as it is.
     *
     * @param requestsPerSecond of one ingest process; 0 takes the limit away
     * @param duplicateWindow   how long the same purchase under another key counts as a second click; zero is never
     * @param representDeclines whether soft declines are presented again, as the card networks allow it for subscriptions
     * @param declineFailover   which declines go to another PSP, once and at once
     */
    public record Terms(Optional<Integer> requestsPerSecond, Optional<Duration> duplicateWindow, Optional<Boolean> representDeclines,
            Optional<DeclineFailover> declineFailover, ReceiptTerms receipts) {

        public Terms {
            if (requestsPerSecond.filter(rate -> rate < 0 || rate > 1_000_000).isPresent()) {
                throw new IllegalArgumentException("a rate is from 1 to 1,000,000 requests a second, or 0 for no limit");
            }
            if (duplicateWindow.filter(window -> window.isNegative() || window.compareTo(Duration.ofDays(1)) > 0).isPresent()) {
                throw new IllegalArgumentException("a duplicate window is from 0 to 24 hours");
            }
        }

        public boolean areEmpty() {
            return requestsPerSecond.isEmpty() && duplicateWindow.isEmpty() && representDeclines.isEmpty()
                    && declineFailover.isEmpty() && receipts.areEmpty();
        }
    }

    /** @param tokens that are valid now */
    public record Entry(String merchant, Optional<Integer> requestsPerSecond, Duration duplicateWindow, boolean representsDeclines,
            DeclineFailover declineFailover, ReceiptTerms receipts, int tokens, Instant createdAt) {}

    private final Database database;
    private final String claim;

    /** @param claim the client's own name for its user; audit records name the login of the session and keep this beside it */
    public MerchantTable(Database database, String claim) {
        this.database = database;
        this.claim = claim;
    }

    public static boolean isId(String text) {
        return Merchant.isId(text);
    }

    private static final String ADD = """
            WITH added AS (
                INSERT INTO merchant (merchant_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING merchant_id
            )
            SELECT append_audit(ARRAY[merchant_id], NULL, ARRAY['merchant.added'], ARRAY['merchant'], ARRAY[merchant_id], NULL, NULL, \
            ARRAY[?])
              FROM added
            """;

    /** @return false if there is such a merchant already; it is left as it is */
    public boolean add(String merchant, Terms terms) {
        return database.inTransaction(
                connection -> Sql.any(connection, ADD, merchant, claim) && set(connection, merchant, terms));
    }

    private static final String SET = """
            WITH changed AS (
                UPDATE merchant
                   SET requests_per_second = CASE WHEN ? THEN nullif(?, 0) ELSE requests_per_second END,
                       duplicate_window_ms = CASE WHEN ? THEN ? ELSE duplicate_window_ms END,
                       represent_declines = CASE WHEN ? THEN ? ELSE represent_declines END,
                       decline_failover = coalesce(?, decline_failover),
                       receipt_name = nullif(coalesce(?, receipt_name), ''), receipt_locale = nullif(coalesce(?, receipt_locale), ''),
                       receipt_reply_to = nullif(coalesce(?, receipt_reply_to), '')
                 WHERE merchant_id = ?
                RETURNING merchant_id, requests_per_second, duplicate_window_ms, represent_declines, decline_failover, receipt_name,
                          receipt_locale, receipt_reply_to
            )
            SELECT append_audit(ARRAY[merchant_id], NULL, ARRAY['merchant.set'], ARRAY['merchant'], ARRAY[merchant_id], NULL,
                   ARRAY[json_build_object('requests_per_second', requests_per_second, 'duplicate_window_ms', duplicate_window_ms,
                                           'represent_declines', represent_declines, 'decline_failover', decline_failover,
                                           'receipt_name', receipt_name, 'receipt_locale', receipt_locale,
                                           'receipt_reply_to', receipt_reply_to)::text], ARRAY[?])
              FROM changed
            """;

    /** @return false if there is no such merchant */
    public boolean set(String merchant, Terms terms) {
        return database.inTransaction(connection -> set(connection, merchant, terms));
    }

    private boolean set(Connection connection, String merchant, Terms terms) throws SQLException {
        return Sql.any(connection, SET, terms.requestsPerSecond().isPresent(), terms.requestsPerSecond().orElse(0),
                terms.duplicateWindow().isPresent(), (int) terms.duplicateWindow().orElse(Duration.ZERO).toMillis(),
                terms.representDeclines().isPresent(), terms.representDeclines().orElse(false),
                terms.declineFailover().map(DeclineFailover::tag).orElse(null), terms.receipts().name(),
                terms.receipts().locale(), terms.receipts().replyTo(), merchant, claim);
    }

    private static final String LOGIN = "SELECT session_user";

    /** The name that the audit log uses. */
    public static String login(Database database) {
        return database.withConnection(connection -> Sql.one(connection, LOGIN, row -> row.getString(1)));
    }

    private static final String LIST = """
            SELECT merchant_id, requests_per_second, duplicate_window_ms, merchant.created_at, represent_declines,
                   count(token_sha256) FILTER (WHERE revoked_at IS NULL), receipt_name, receipt_locale, receipt_reply_to, decline_failover
              FROM merchant LEFT JOIN merchant_token USING (merchant_id)
             GROUP BY merchant_id
             ORDER BY merchant_id
            """;

    public List<Entry> list() {
        return database.withConnection(connection -> Sql.all(connection, LIST, MerchantTable::entry));
    }

    private static Entry entry(ResultSet row) throws SQLException {
        var receipts = new ReceiptTerms(Optional.ofNullable(row.getString(7)), Optional.ofNullable(row.getString(8)),
                Optional.ofNullable(row.getString(9)));
        return new Entry(row.getString(1), Optional.ofNullable(row.getObject(2, Integer.class)), Duration.ofMillis(row.getInt(3)),
                row.getBoolean(5), DeclineFailover.fromTag(row.getString(10)).orElseThrow(), receipts, row.getInt(6), Sql.instant(row, 4));
    }
}
