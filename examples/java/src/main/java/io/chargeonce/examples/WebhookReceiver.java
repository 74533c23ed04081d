// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.examples;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Takes a merchant's webhooks and keeps what became of each payment, refund, reversal, return and dispute, in a Postgres database of
 * the merchant. Put a proxy with TLS before it. Any thread.
 *
 * <p>The newest revision of an operation wins. So an event that comes twice, is sent again by a person who has recorded it, or comes after
 * a newer one changes nothing. A key that is used again starts at a low revision, more than a month later.
 */
public final class WebhookReceiver implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int LONGEST_BODY = 64 * 1024;
    private static final List<String> SIGNED = List.of("webhook-id", "webhook-timestamp", "webhook-signature");

    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS settled (
                id text PRIMARY KEY, payment_id text NOT NULL, kind text NOT NULL, status text NOT NULL, amount bigint, currency text,
                revision int NOT NULL, happened_at timestamptz NOT NULL)
            """;
    private static final String KEEP_THE_NEWEST = """
            INSERT INTO settled (id, payment_id, kind, status, amount, currency, revision, happened_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?::timestamptz)
            ON CONFLICT (id) DO UPDATE SET status = excluded.status, amount = excluded.amount, currency = excluded.currency,
                revision = excluded.revision, happened_at = excluded.happened_at
            WHERE CASE WHEN settled.happened_at BETWEEN excluded.happened_at - interval '30 days'
                                                    AND excluded.happened_at + interval '30 days'
                       THEN settled.revision < excluded.revision ELSE settled.happened_at < excluded.happened_at END
            """;

    private final HttpServer server;
    private final String databaseUrl;
    private final List<Webhook> secrets;

    /**
     * @param port    0 for any that is free
     * @param secrets what {@code webhook add} and {@code webhook rotate} have printed; more than one while one replaces the other
     */
    public WebhookReceiver(int port, String databaseUrl, List<String> secrets) throws IOException, SQLException {
        this.databaseUrl = databaseUrl;
        this.secrets = secrets.stream().map(Webhook::new).toList();
        try (var connection = DriverManager.getConnection(databaseUrl); var statement = connection.createStatement()) {
            statement.execute(TABLE);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(answer(exchange), -1);
            }
        });
        server.start();
    }

    /** Settings from the environment: DATABASE_URL (JDBC), WEBHOOK_SECRETS, with a comma between two, and PORT. */
    public static void main(String[] args) throws IOException, SQLException {
        Map<String, String> set = System.getenv();
        var receiver = new WebhookReceiver(Integer.parseInt(set.getOrDefault("PORT", "8088")), set.get("DATABASE_URL"),
                List.of(set.get("WEBHOOK_SECRETS").split(",")));
        System.out.println("Webhooks may come to " + receiver.url() + ", and are kept in the table settled. Ctrl-C ends it.");
    }

    public String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    /** Any answer but 2xx makes the event come again. */
    private int answer(HttpExchange exchange) throws IOException {
        byte[] body;
        try (InputStream sent = exchange.getRequestBody()) {
            body = sent.readNBytes(LONGEST_BODY + 1);
        }
        if (body.length > LONGEST_BODY) {
            return 413;
        }
        String text = new String(body, StandardCharsets.UTF_8);
        if (!isOurs(exchange, text)) {
            return 401;
        }
        try {
            keep(JSON.readTree(text));
            return 200;
        } catch (SQLException | RuntimeException e) {
            System.err.println("The webhook could not be kept, and comes again: " + e);
            return 500;
        }
    }

    /** The library also refuses what was signed more than five minutes ago. */
    private boolean isOurs(HttpExchange exchange, String body) {
        var signed = new HashMap<String, List<String>>();
        for (String name : SIGNED) {
            signed.put(name, exchange.getRequestHeaders().getOrDefault(name, List.of()));
        }
        return secrets.stream().anyMatch(secret -> {
            try {
                secret.verify(body, signed);
                return true;
            } catch (WebhookVerificationException another) {
                return false;
            }
        });
    }

    private void keep(JsonNode event) throws SQLException {
        JsonNode operation = event.path("data");
        if (!operation.hasNonNull("revision")) {
            return; // About an endpoint, or of a type that is newer than this program.
        }
        try (var connection = DriverManager.getConnection(databaseUrl); var statement = connection.prepareStatement(KEEP_THE_NEWEST)) {
            statement.setString(1, operation.required("id").asString());
            statement.setString(2, operation.required("payment_id").asString());
            statement.setString(3, operation.required("kind").asString());
            statement.setString(4, operation.required("status").asString());
            // The PSP of a dispute may name neither.
            statement.setObject(5, operation.optional("amount").map(JsonNode::longValue).orElse(null), Types.BIGINT);
            statement.setString(6, operation.optional("currency").map(JsonNode::asString).orElse(null));
            statement.setInt(7, operation.required("revision").intValue());
            statement.setString(8, event.required("timestamp").asString());
            statement.executeUpdate();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
