// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.vault.Vault;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who gets webhooks, and where. Functions in Postgres decide what the caller may do, for people and for merchants alike. Every change
 * leaves an audit record. Any thread.
 */
public final class EndpointTable {

    /** What an endpoint may ask for; all of them by {@code *}. */
    public static final List<String> EVENTS = List.of("payment.succeeded", "payment.declined", "payment.purged", "refund.succeeded",
            "refund.failed", "refund.declined", "refund.purged", "reversal.succeeded", "reversal.failed", "reversal.declined",
            "reversal.purged", "return.succeeded", "dispute.inquiry", "dispute.opened", "dispute.won", "dispute.lost");
    public static final String ALL_EVENTS = "*";
    /** Postgres's function holds it. */
    public static final int MOST_OF_A_MERCHANT = 20;

    /** What became of a change. */
    public enum Change {
        DONE, UNCHANGED,
        NO_MERCHANT, NO_ENDPOINT,
        /** More endpoints, valid secrets, or tests and redeliveries than there may be. */
        TOO_MANY,
        /** A person has disabled it, so its merchant can neither enable nor remove it, nor add another one at its host. */
        HELD
    }

    /** @param secret is stored sealed, and shown only here */
    public record NewEndpoint(String id, String secret) {}

    /** @param made empty unless it was done */
    public record Made<T>(Change change, Optional<T> made) {}

    /** @param state {@code enabled}, {@code failing}, or {@code disabled_} and by whom or why */
    public record Endpoint(String id, String merchant, String url, List<String> events, String state, int secrets, Instant createdAt,
            Optional<Instant> failingSince) {

        public boolean isDisabled() {
            return state.startsWith("disabled");
        }
    }

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_BYTES = 12;

    private final Database database;
    private final Vault vault;
    private final Caller caller;

    /** @param vault seals new secrets */
    public EndpointTable(Database database, Vault vault, Caller caller) {
        this.database = database;
        this.vault = vault;
        this.caller = caller;
    }

    private static final String ADD = "SELECT add_webhook_endpoint(?, ?, ?, ?, ?, ?)";

    /**
     * @param merchant whose it becomes
     * @param url      checked by the caller
     * @param events   of {@link #EVENTS}
     * @throws Vault.NoKey if there is no key to seal the secret with
     */
    public Made<NewEndpoint> add(String merchant, String url, List<String> events) {
        byte[] bytes = new byte[ID_BYTES];
        RANDOM.nextBytes(bytes);
        var added = new NewEndpoint("whe_" + HexFormat.of().formatHex(bytes), EndpointSecret.make());
        byte[] sealed = sealed(added);
        return database.inTransaction(connection -> {
            Change change = change(connection, ADD, caller.digest(), merchant, added.id, url, events, sealed);
            if (change == Change.DONE) {
                record(connection, "webhook.added", added.id, Map.of("url", url, "events", events));
            }
            return made(change, added);
        });
    }

    private static <T> Made<T> made(Change change, T what) {
        return new Made<>(change, Optional.of(what).filter(one -> change == Change.DONE));
    }

    private byte[] sealed(NewEndpoint endpoint) {
        return vault.seal(EndpointSecret.placeOf(endpoint.id), endpoint.secret.getBytes(StandardCharsets.UTF_8));
    }

    private static final String ROTATE = "SELECT rotate_webhook_secret(?, ?, ?, ?)";

    /**
     * Adds a secret. Requests are signed with each that is valid.
     *
     * @param overlap how long the earlier ones stay valid
     */
    public Made<NewEndpoint> rotate(String endpoint, Duration overlap) {
        var renewed = new NewEndpoint(endpoint, EndpointSecret.make());
        byte[] sealed = sealed(renewed);
        return database.inTransaction(connection -> {
            Change change = change(connection, ROTATE, caller.digest(), endpoint, sealed, overlap.toMillis());
            if (change == Change.DONE) {
                record(connection, "webhook.rotated", endpoint, Map.of("overlap", overlap.toString()));
            }
            return made(change, renewed);
        });
    }

    private static final String SWITCH = "SELECT switch_webhook_endpoint(?, ?, ?)";

    public Change disable(String endpoint) {
        return toggle(endpoint, false, "webhook.disabled");
    }

    public Change enable(String endpoint) {
        return toggle(endpoint, true, "webhook.enabled");
    }

    private Change toggle(String endpoint, boolean enabled, String action) {
        return database.inTransaction(connection -> {
            Change change = change(connection, SWITCH, caller.digest(), endpoint, enabled);
            if (change == Change.DONE) {
                record(connection, action, endpoint, Map.of());
            }
            return change;
        });
    }

    private static final String REMOVE = "SELECT remove_webhook_endpoint(?, ?)";

    public Change remove(String endpoint) {
        return database.inTransaction(connection -> {
            Change change = change(connection, REMOVE, caller.digest(), endpoint);
            if (change == Change.DONE) {
                record(connection, "webhook.removed", endpoint, Map.of());
            }
            return change;
        });
    }

    private static final String TEST = "SELECT stage_test_webhook(?, ?)";

    /** Stages an event that is about no payment, and returns its delivery's id. */
    public Made<String> test(String endpoint) {
        return database.inTransaction(connection -> {
            String staged = Sql.one(connection, TEST, row -> row.getString(1), caller.digest(), endpoint);
            if (staged == null) {
                return new Made<>(Change.NO_ENDPOINT, Optional.empty());
            } else if (staged.equals("too_many")) {
                return new Made<>(Change.TOO_MANY, Optional.empty());
            }
            record(connection, "webhook.tested", endpoint, Map.of("webhook", staged));
            return made(Change.DONE, staged);
        });
    }

    /** @param values the function's; the first is the caller's token */
    static Change change(Connection connection, String function, Object... values) throws SQLException {
        return switch (Sql.<String>one(connection, function, row -> row.getString(1), values)) {
            case "done" -> Change.DONE;
            case "unchanged" -> Change.UNCHANGED;
            case "no_merchant" -> Change.NO_MERCHANT;
            case "no_endpoint" -> Change.NO_ENDPOINT;
            case "too_many" -> Change.TOO_MANY;
            case "held" -> Change.HELD;
            case String other -> throw new IllegalStateException("Bug! Unknown result of a change: " + other);
        };
    }

    private void record(Connection connection, String action, String endpoint, Map<String, ?> data) throws SQLException {
        record(connection, caller, action, endpoint, data);
    }

    static void record(Connection connection, Caller caller, String action, String endpoint, Map<String, ?> data) throws SQLException {
        Optional<String> merchant = switch (caller) {
            case Caller.Person person -> Sql.first(connection, MERCHANT_OF, row -> row.getString(1), endpoint);
            case Caller.Merchant one -> Optional.of(one.id());
        };
        AuditLog.append(connection, List.of(new AuditLog.Entry(caller.actor(), action, merchant, "webhook_endpoint", endpoint,
                Optional.empty(), data)));
    }

    private static final String MERCHANT_OF = "SELECT merchant_id FROM webhook_endpoint WHERE endpoint_id = ?";

    private static final String LIST = """
            SELECT endpoint_id, merchant_id, url, events, created_at, failing_since, state, secrets FROM webhook_endpoints(?, ?, ?)
            """;

    /** @param merchant empty for all that the caller may see */
    public List<Endpoint> list(Optional<String> merchant) {
        return list(merchant, Optional.empty());
    }

    public Optional<Endpoint> find(String endpoint) {
        return list(Optional.empty(), Optional.of(endpoint)).stream().findFirst();
    }

    private List<Endpoint> list(Optional<String> merchant, Optional<String> endpoint) {
        return database.withConnection(
                connection -> Sql.all(connection, LIST, EndpointTable::endpoint, caller.digest(), merchant, endpoint));
    }

    private static Endpoint endpoint(ResultSet row) throws SQLException {
        return new Endpoint(row.getString(1), row.getString(2), row.getString(3),
                Arrays.stream((Object[]) row.getArray(4).getArray()).map(String::valueOf).toList(), row.getString(7), row.getInt(8),
                Sql.instant(row, 5), Optional.ofNullable(Sql.instant(row, 6)));
    }
}
