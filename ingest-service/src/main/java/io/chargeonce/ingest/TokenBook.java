package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The merchants' credentials. A token is shown to whoever makes it and never again: only its digest is stored, and the
 * digest's beginning is its name. Every change leaves an audit record. Any thread.
 */
public final class TokenBook {

    /** 256 bits, so that digests need no salt and guessing no limit. */
    private static final int RANDOM_BYTES = 32;
    private static final int ID_BYTES = 6;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** @param secret to be handed to the merchant now */
    public record NewToken(String id, String secret) {

        /** Without the secret. */
        @Override
        public String toString() {
            return "NewToken[" + id + "]";
        }
    }

    public record Entry(String id, String merchant, Instant createdAt, Optional<Instant> revokedAt) {}

    private final Database database;
    private final String actor;

    /** @param actor who makes the changes, for the audit records */
    public TokenBook(Database database, String actor) {
        this.database = database;
        this.actor = actor;
    }

    private static final String ADD = """
            WITH added AS (
                INSERT INTO merchant_token (token_sha256, merchant_id)
                SELECT ?, merchant_id FROM merchant WHERE merchant_id = ?
                RETURNING merchant_id
            )
            SELECT append_audit(ARRAY[merchant_id], ARRAY[?], ARRAY['token.created'], ARRAY['token'], ARRAY[?], NULL, NULL, NULL) FROM added
            """;

    /** Empty if there is no such merchant. */
    public Optional<NewToken> add(String merchant) {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        String secret = "cot_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        byte[] digest = Sha256.of(secret);
        String id = id(digest);
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(ADD)) {
                statement.setBytes(1, digest);
                statement.setString(2, merchant);
                statement.setString(3, actor);
                statement.setString(4, id);
                return MerchantBook.hasRow(statement) ? Optional.of(new NewToken(id, secret)) : Optional.empty();
            }
        });
    }

    private static String id(byte[] digest) {
        return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    }

    private static final String REVOKE = """
            WITH revoked AS (
                UPDATE merchant_token
                   SET revoked_at = now()
                 WHERE encode(substr(token_sha256, 1, %d), 'hex') = ? AND revoked_at IS NULL
                RETURNING merchant_id
            )
            SELECT append_audit(ARRAY[merchant_id], ARRAY[?], ARRAY['token.revoked'], ARRAY['token'], ARRAY[?], NULL, NULL, NULL) FROM revoked
            """.formatted(ID_BYTES);

    /** @return false if no valid token has this id */
    public boolean revoke(String id) {
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(REVOKE)) {
                statement.setString(1, id);
                statement.setString(2, actor);
                statement.setString(3, id);
                return MerchantBook.hasRow(statement);
            }
        });
    }

    private static final String LIST = """
            SELECT token_sha256, merchant_id, created_at, revoked_at FROM merchant_token ORDER BY merchant_id, created_at, token_sha256
            """;

    public List<Entry> list() {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(LIST); var row = statement.executeQuery()) {
                var entries = new ArrayList<Entry>();
                while (row.next()) {
                    entries.add(new Entry(id(row.getBytes(1)), row.getString(2), row.getTimestamp(3).toInstant(), time(row.getTimestamp(4))));
                }
                return entries;
            }
        });
    }

    private static Optional<Instant> time(Timestamp timestamp) {
        return Optional.ofNullable(timestamp).map(Timestamp::toInstant);
    }
}
