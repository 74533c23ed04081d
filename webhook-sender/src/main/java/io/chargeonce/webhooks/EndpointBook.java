// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.vault.Vault;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who gets webhooks, and where. Every change leaves an audit record. Any thread. */
public final class EndpointBook {

    /** What {@code --events} may name; all of them by {@code *}. */
    public static final List<String> EVENTS = List.of("payment.succeeded", "payment.declined", "payment.purged", "refund.succeeded",
            "refund.declined", "refund.purged", "reversal.succeeded", "reversal.declined", "reversal.purged");
    public static final String ALL_EVENTS = "*";

    /** @param secret is stored sealed, and shown only here */
    public record NewEndpoint(String id, String secret) {}

    /** @param state {@code enabled}, {@code failing}, {@code disabled by a person} or {@code disabled after failure} */
    public record Endpoint(String id, String merchant, String url, List<String> events, String state, int secrets, Instant createdAt,
            Optional<Instant> failingSince) {}

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_BYTES = 12;

    private final Database database;
    private final Vault vault;
    private final String claim;

    /**
     * @param vault seals new secrets
     * @param claim the client's own name for its user; audit records name the login of the session and keep this beside it
     */
    public EndpointBook(Database database, Vault vault, String claim) {
        this.database = database;
        this.vault = vault;
        this.claim = claim;
    }

    private static final String ADD = """
            INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events)
            SELECT ?, merchant_id, ?, ? FROM merchant WHERE merchant_id = ?
            """;

    /**
     * @param url    checked by the caller
     * @param events of {@link #EVENTS}
     * @return empty if there is no such merchant
     * @throws Vault.NoKey if there is no key to seal the secret with
     */
    public Optional<NewEndpoint> add(String merchant, String url, List<String> events) {
        byte[] bytes = new byte[ID_BYTES];
        RANDOM.nextBytes(bytes);
        var added = new NewEndpoint("whe_" + HexFormat.of().formatHex(bytes), SigningSecret.make());
        byte[] sealed = sealed(added);
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(ADD)) {
                statement.setString(1, added.id);
                statement.setString(2, url);
                statement.setArray(3, connection.createArrayOf("text", events.toArray()));
                statement.setString(4, merchant);
                if (statement.executeUpdate() == 0) {
                    return Optional.empty();
                }
            }
            addSecret(connection, added.id, sealed);
            record(connection, "webhook.added", Optional.of(merchant), added.id, Map.of("url", url, "events", events));
            return Optional.of(added);
        });
    }

    private byte[] sealed(NewEndpoint endpoint) {
        return vault.seal(SigningSecret.placeOf(endpoint.id), endpoint.secret.getBytes(StandardCharsets.UTF_8));
    }

    private static final String ADD_SECRET = "INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES (?, ?)";

    private static void addSecret(Connection connection, String endpoint, byte[] sealed) throws SQLException {
        try (var statement = connection.prepareStatement(ADD_SECRET)) {
            statement.setString(1, endpoint);
            statement.setBytes(2, sealed);
            statement.executeUpdate();
        }
    }

    private static final String EXPIRE = """
            UPDATE webhook_secret SET expires_at = least(expires_at, clock_timestamp() + ? * interval '1 millisecond')
             WHERE endpoint_id = ?
            """;

    /**
     * Adds a secret. Requests are signed with each that is valid.
     *
     * @param overlap how long the earlier ones stay valid
     * @return empty if there is no such endpoint
     */
    public Optional<NewEndpoint> rotate(String endpoint, Duration overlap) {
        var renewed = new NewEndpoint(endpoint, SigningSecret.make());
        byte[] sealed = sealed(renewed);
        return database.inTransaction(connection -> {
            Optional<String> merchant = merchantOf(connection, endpoint);
            if (merchant.isEmpty()) {
                return Optional.empty();
            }
            try (var statement = connection.prepareStatement(EXPIRE)) {
                statement.setLong(1, overlap.toMillis());
                statement.setString(2, endpoint);
                statement.executeUpdate();
            }
            addSecret(connection, endpoint, sealed);
            record(connection, "webhook.rotated", merchant, endpoint, Map.of("overlap", overlap.toString()));
            return Optional.of(renewed);
        });
    }

    private static final String DISABLE = """
            UPDATE webhook_endpoint SET disabled_by = 'person', disabled_at = now()
             WHERE endpoint_id = ? AND disabled_by IS DISTINCT FROM 'person'
            """;
    private static final String ENABLE = """
            UPDATE webhook_endpoint SET disabled_by = NULL, disabled_at = NULL, failing_since = NULL, failed_at = NULL
             WHERE endpoint_id = ? AND disabled_by IS NOT NULL
            """;

    /** @return false if there is no such endpoint, or it is disabled by a person already */
    public boolean disable(String endpoint) {
        return change(DISABLE, "webhook.disabled", endpoint);
    }

    /** @return false if there is no such endpoint, or it is not disabled */
    public boolean enable(String endpoint) {
        return change(ENABLE, "webhook.enabled", endpoint);
    }

    private boolean change(String sql, String action, String endpoint) {
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setString(1, endpoint);
                if (statement.executeUpdate() == 0) {
                    return false;
                }
            }
            record(connection, action, merchantOf(connection, endpoint), endpoint, Map.of());
            return true;
        });
    }

    private static final String TEST = "SELECT stage_test_webhook(?)";

    /** Stages an event that is about no payment. Returns its delivery's id; empty if no enabled endpoint has that id. */
    public Optional<String> test(String endpoint) {
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(TEST)) {
                statement.setString(1, endpoint);
                try (var row = statement.executeQuery()) {
                    row.next();
                    Optional<String> staged = Optional.ofNullable(row.getString(1));
                    if (staged.isPresent()) {
                        record(connection, "webhook.tested", merchantOf(connection, endpoint), endpoint, Map.of("webhook", staged.get()));
                    }
                    return staged;
                }
            }
        });
    }

    private static final String MERCHANT_OF = "SELECT merchant_id FROM webhook_endpoint WHERE endpoint_id = ?";

    static Optional<String> merchantOf(Connection connection, String endpoint) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MERCHANT_OF)) {
            statement.setString(1, endpoint);
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    private void record(Connection connection, String action, Optional<String> merchant, String endpoint, Map<String, ?> data)
            throws SQLException {
        record(connection, claim, action, merchant, endpoint, data);
    }

    static void record(Connection connection, String claim, String action, Optional<String> merchant, String endpoint,
                       Map<String, ?> data)
            throws SQLException {
        AuditLog.append(connection, List.of(new AuditLog.Entry(new AuditLog.Actor.Person(Optional.of(claim)), action, merchant,
                "webhook_endpoint", endpoint, Optional.empty(), data)));
    }

    private static final String LIST = """
            SELECT endpoint_id, merchant_id, url, events, created_at, failing_since,
                   CASE WHEN disabled_by = 'person' THEN 'disabled by a person' WHEN disabled_by = 'failing' THEN 'disabled after failure'
                        WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'enabled' END,
                   (SELECT count(*) FROM webhook_secret AS secret
                     WHERE secret.endpoint_id = endpoint.endpoint_id AND (expires_at IS NULL OR expires_at > now()))
              FROM webhook_endpoint AS endpoint
             WHERE merchant_id = coalesce(?, merchant_id)
             ORDER BY merchant_id, created_at, endpoint_id
            """;

    /** @param merchant empty for all */
    public List<Endpoint> list(Optional<String> merchant) {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(LIST)) {
                statement.setString(1, merchant.orElse(null));
                try (var row = statement.executeQuery()) {
                    var endpoints = new ArrayList<Endpoint>();
                    while (row.next()) {
                        endpoints.add(endpoint(row));
                    }
                    return endpoints;
                }
            }
        });
    }

    private static Endpoint endpoint(ResultSet row) throws SQLException {
        return new Endpoint(row.getString(1), row.getString(2), row.getString(3),
                Arrays.stream((Object[]) row.getArray(4).getArray()).map(String::valueOf).toList(), row.getString(7), row.getInt(8),
                row.getTimestamp(5).toInstant(), Optional.ofNullable(row.getTimestamp(6)).map(Timestamp::toInstant));
    }
}
