// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.database.Sql;
import io.chargeonce.text.AddressRange;
import io.chargeonce.database.Database;
import io.chargeonce.runtime.Sha256;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The merchants' tokens. A token is shown once, when it is made: only its digest is stored, and the digest's
 * beginning is its id. Every change leaves an audit record. Any thread.
 */
public final class TokenTable {

    /** 256 bits, so that digests need no salt and guessing no limit. */
    private static final int RANDOM_BYTES = 32;
    private static final int ID_BYTES = 6;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** @param secret is shown now and never again */
    public record NewToken(String id, String secret) {

        /** Without the secret. */
        @Override
        public String toString() {
            return "NewToken[" + id + "]";
        }
    }

    /**
     * What a token is made for.
     *
     * @param scopes what may be done with it, at least one
     * @param from   where it may come from; empty is anywhere
     * @param lives  how long, from now on; empty is for ever
     */
    public record Grant(Set<Scope> scopes, List<AddressRange> from, Optional<Duration> lives) {

        /** Every scope, from anywhere, for ever. */
        public static final Grant USUAL = new Grant(EnumSet.allOf(Scope.class), List.of(), Optional.empty());

        public Grant {
            if (scopes.isEmpty() || lives.filter(life -> !life.isPositive()).isPresent()) {
                throw new IllegalArgumentException("a token has at least one scope, and some time to live");
            }
        }
    }

    /** @param usedAt to within some minutes; empty for never */
    public record Entry(String id, String merchant, Set<Scope> scopes, List<String> from, Instant createdAt, Optional<Instant> expiresAt,
            Optional<Instant> revokedAt, Optional<Instant> usedAt) {}

    private final Database database;
    private final String claim;

    /** @param claim the client's own name for its user; audit records name the login of the session and keep this beside it */
    public TokenTable(Database database, String claim) {
        this.database = database;
        this.claim = claim;
    }

    private static final String ADD = """
            WITH added AS (
                INSERT INTO merchant_token (token_sha256, merchant_id, scopes, addresses, lives, expires_at)
                SELECT ?, merchant_id, ?, nullif(?::cidr[], '{}'), life, now() + life
                  FROM merchant, (SELECT ? * interval '1 millisecond' AS life) AS given WHERE merchant_id = ?
                RETURNING merchant_id, scopes, addresses, expires_at
            )
            SELECT append_audit(ARRAY[merchant_id], NULL, ARRAY['token.created'], ARRAY['token'], ARRAY[?], NULL,
                   ARRAY[json_build_object('scopes', scopes, 'addresses', addresses, 'expires_at', expires_at)::text], ARRAY[?])
              FROM added
            """;

    /** Empty if there is no such merchant. */
    public Optional<NewToken> add(String merchant, Grant grant) {
        var token = Fresh.token();
        return database.inTransaction(connection -> Sql.first(connection, ADD, row -> token.shown(), token.digest,
                grant.scopes().stream().map(Scope::tag).sorted().toList(), grant.from().stream().map(AddressRange::toString).toList(),
                grant.lives().map(Duration::toMillis), merchant, token.id(), claim));
    }

    private record Fresh(String secret, byte[] digest) {

        static Fresh token() {
            byte[] random = new byte[RANDOM_BYTES];
            RANDOM.nextBytes(random);
            String secret = "cot_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
            return new Fresh(secret, Sha256.of(secret));
        }

        String id() {
            return TokenTable.id(digest);
        }

        NewToken shown() {
            return new NewToken(id(), secret);
        }
    }

    private static final String ROTATE = """
            WITH was AS (
                SELECT token_sha256 FROM merchant_token
                 WHERE encode(substr(token_sha256, 1, %d), 'hex') = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
            ), old AS (
                UPDATE merchant_token SET expires_at = least(expires_at, now() + ? * interval '1 millisecond')
                  FROM was WHERE merchant_token.token_sha256 = was.token_sha256
                RETURNING merchant_id, scopes, addresses, expires_at, lives
            ), added AS (
                INSERT INTO merchant_token (token_sha256, merchant_id, scopes, addresses, lives, expires_at)
                SELECT ?, merchant_id, scopes, addresses, lives, now() + lives FROM old
            )
            SELECT append_audit(ARRAY[merchant_id], NULL, ARRAY['token.rotated'], ARRAY['token'], ARRAY[?], NULL,
                   ARRAY[json_build_object('by', ?, 'expires_at', expires_at)::text], ARRAY[?])
              FROM old
            """.formatted(ID_BYTES);

    /**
     * Makes a token like this one. This one expires after the overlap, or earlier if it would have expired earlier.
     *
     * @param overlap zero ends the old one at once
     * @return empty if no valid token has this id
     */
    public Optional<NewToken> rotate(String id, Duration overlap) {
        var token = Fresh.token();
        return database.inTransaction(connection -> Sql.first(connection, ROTATE, row -> token.shown(), id, overlap.toMillis(),
                token.digest, id, token.id(), claim));
    }

    static String id(byte[] digest) {
        return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    }

    private static final String REVOKE = """
            WITH revoked AS (
                UPDATE merchant_token
                   SET revoked_at = now()
                 WHERE encode(substr(token_sha256, 1, %d), 'hex') = ? AND revoked_at IS NULL
                RETURNING merchant_id
            )
            SELECT append_audit(ARRAY[merchant_id], NULL, ARRAY['token.revoked'], ARRAY['token'], ARRAY[?], NULL, NULL, ARRAY[?]) FROM \
            revoked
            """.formatted(ID_BYTES);

    /** @return false if no valid token has this id */
    public boolean revoke(String id) {
        return database.inTransaction(connection -> Sql.any(connection, REVOKE, id, id, claim));
    }

    private static final String LIST = """
            SELECT token_sha256, merchant_id, scopes, addresses::text[], created_at, expires_at, revoked_at, used_at
              FROM merchant_token LEFT JOIN token_use USING (token_sha256)
             ORDER BY merchant_id, created_at, token_sha256
            """;

    public List<Entry> list() {
        return database.withConnection(connection -> Sql.all(connection, LIST, TokenTable::entry));
    }

    private static Entry entry(ResultSet row) throws SQLException {
        Set<Scope> scopes = Arrays.stream((String[]) row.getArray(3).getArray()).map(Scope::fromTag)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Scope.class)));
        List<String> from = row.getArray(4) == null ? List.of() : List.of((String[]) row.getArray(4).getArray());
        return new Entry(id(row.getBytes(1)), row.getString(2), scopes, from, Sql.instant(row, 5), Optional.ofNullable(Sql.instant(row, 6)),
                Optional.ofNullable(Sql.instant(row, 7)), Optional.ofNullable(Sql.instant(row, 8)));
    }
}
