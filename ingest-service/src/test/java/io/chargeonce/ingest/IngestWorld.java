// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.ingest.transport.ConnectionTimeouts;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;

/** A real ingest service over a fresh database and topics of its own, and a client that speaks HTTP to it. */
public final class IngestWorld implements AutoCloseable {

    public static final String BODY = """
            {"amount": 1299, "currency": "EUR", "payment_method": "pm_card_visa", "customer": "cus_7",
             "reference": "order-1001", "description": "two mugs", "receipt_email": "a@example.com", "rail": "card"}""";

    static {
        // Long enough for a busy machine.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    final Topics topics = new Topics("test-" + UUID.randomUUID());
    final Meters meters = Meters.of("ingest-service");
    final IngestService service;
    private final String databaseUrl;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private IngestWorld(String databaseUrl, String... merchantsWithTopics) {
        this.databaseUrl = databaseUrl;
        String kafka = TestStack.kafka().bootstrapServers();
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            new TopicPlan(topics, 1, Optional.empty()).create(admin);
            admin.createTopics(Stream.of(merchantsWithTopics)
                    .map(merchant -> new NewTopic(topics.intakePrefix() + merchant, 2, (short) 1)).toList()).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
        service = startAnother();
    }

    /** One more process's worth of service over the same database and topics; the caller closes it. */
    IngestService startAnother() {
        return startAnother(ConnectionTimeouts.USUAL);
    }

    IngestService startAnother(ConnectionTimeouts patience) {
        return startAnother(patience, new EndpointSettings(Vault.IN_THE_CLEAR, Set.of()));
    }

    IngestService startAnother(EndpointSettings endpoints) {
        return startAnother(ConnectionTimeouts.USUAL, endpoints);
    }

    private IngestService startAnother(ConnectionTimeouts patience, EndpointSettings endpoints) {
        var pipeline = pipeline(databaseUrl, TestStack.kafka().bootstrapServers(), topics.prefix(), Optional.empty());
        return IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)).with(endpoints),
                meters, Tracing.off(), patience);
    }

    /** The same in another process; the caller closes it. */
    IngestProcess startProcess() throws IOException {
        return IngestProcess.start(databaseUrl, TestStack.kafka().bootstrapServers(), topics.prefix(), IngestProcess.freePort())
                .awaitOpen();
    }

    IngestProcess startProcessWithFiles(int files) throws IOException {
        return IngestProcess
                .startWithFiles(files, databaseUrl, TestStack.kafka().bootstrapServers(), topics.prefix(), IngestProcess.freePort())
                .awaitOpen();
    }

    /** As the service logs in: its rights are those of production. */
    public static String asIngest(String databaseUrl) {
        return databaseUrl.replace("user=postgres", "user=chargeonce_ingest");
    }

    static PipelineSettings pipeline(String databaseUrl, String kafka, String topicPrefix, Optional<Address> admin) {
        return new PipelineSettings(asIngest(databaseUrl), "chargeonce_ingest", "", kafka, Optional.empty(), topicPrefix,
                List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)), admin);
    }

    public static IngestWorld start() {
        return new IngestWorld(TestStack.newDatabase(IngestWorld::prepare));
    }

    static IngestWorld startWithTopicsOf(String... merchants) {
        return new IngestWorld(TestStack.newDatabase(IngestWorld::prepare), merchants);
    }

    /** @param databaseUrl of an empty database */
    public static IngestWorld start(String databaseUrl) {
        prepare(databaseUrl);
        return new IngestWorld(databaseUrl);
    }

    /** Schema and merchants with their tokens: acme and globex are not guarded against second clicks, initech and hooli are. */
    public static void prepare(String databaseUrl) {
        Migrations.apply(databaseUrl, "postgres", "");
        Roles.apply(databaseUrl, "postgres", "", Optional.empty());
        execute(databaseUrl, """
                INSERT INTO chargeonce.merchant (merchant_id, duplicate_window_ms)
                VALUES ('acme', 0), ('globex', 0), ('initech', 10000), ('hooli', 3600000);
                INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id, revoked_at)
                VALUES (sha256('test_acme'), 'acme', NULL), (sha256('test_globex'), 'globex', NULL),
                       (sha256('test_initech'), 'initech', NULL), (sha256('test_hooli'), 'hooli', NULL),
                       (sha256('test_revoked'), 'acme', now())
                """);
    }

    /** A connection beside the service's own. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(databaseUrl + "&currentSchema=chargeonce");
    }

    /** With the rights of the service. */
    Connection connectAsIngest() throws SQLException {
        return DriverManager.getConnection(asIngest(databaseUrl) + "&currentSchema=chargeonce");
    }

    public static void execute(String databaseUrl, String sql) {
        try (var connection = DriverManager.getConnection(databaseUrl); var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The single number that a query gives. */
    public static long count(String databaseUrl, String sql) {
        try (var connection = DriverManager.getConnection(databaseUrl + "&currentSchema=chargeonce");
             var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public long count(String sql) {
        return count(databaseUrl, sql);
    }

    /** The single column that a query gives. */
    public List<String> texts(String sql) {
        try (var connection = DriverManager.getConnection(databaseUrl + "&currentSchema=chargeonce");
             var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            var all = new ArrayList<String>();
            while (row.next()) {
                all.add(row.getString(1));
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final String HOLDS = """
            SELECT count(*) FROM information_schema.tables
             WHERE table_schema = 'chargeonce' AND table_type = 'BASE TABLE'
               AND query_to_xml(format('SELECT 1 AS found FROM chargeonce.%%I AS t WHERE t::text ~ %%L', table_name, '%s|%s'),
                                true, false, '')::text LIKE '%%<found>%%'
            """;

    /** In how many tables these four digits stand twice, together or with a separator, in any column. */
    long tablesThatHold(String digits) {
        String hex = HexFormat.of().formatHex(digits.getBytes(StandardCharsets.UTF_8));
        return count(HOLDS.formatted(digits + ".?" + digits, hex + "(..)?" + hex));
    }

    private static final String HOLDING = """
            SELECT table_name FROM information_schema.tables
             WHERE table_schema = 'chargeonce' AND table_type = 'BASE TABLE'
               AND query_to_xml(format('SELECT 1 AS found FROM chargeonce.%%I AS t WHERE t::text ~ %%L', table_name, '%s|%s'),
                                true, false, '')::text LIKE '%%<found>%%'
            """;

    /** The tables that hold this text in any column. */
    List<String> tablesWith(String text) {
        return texts(HOLDING.formatted(text, HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8))));
    }

    /** What no trigger lets pass. */
    public void rewrite(String sql) {
        execute("SET session_replication_role = replica; " + sql);
    }

    public void execute(String sql) {
        execute(databaseUrl, "SET search_path = chargeonce; " + sql);
    }

    /** What becomes of the payment with this key, in one step. */
    public void become(String key, String columns) {
        rewrite("UPDATE operation_state SET " + columns
                + " WHERE operation_id IN (SELECT operation_id FROM operation WHERE idempotency_key = '" + key + "')");
    }

    public HttpRequest.Builder request(String path) {
        return request(service, path);
    }

    static HttpRequest.Builder request(IngestService service, String path) {
        return request(service.port(), path);
    }

    static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer test_acme").timeout(Duration.ofSeconds(60));
    }

    public HttpResponse<String> pay(String key, String body) {
        return send(payment(key, body).build());
    }

    public HttpRequest.Builder payment(String key, String body) {
        return request("/v1/payments").header("Content-Type", "application/json").header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body));
    }

    public HttpResponse<String> get(String path) {
        return send(request(path).build());
    }

    public HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static String type(HttpResponse<String> problem) {
        return Json.text(problem.body(), "type");
    }

    static List<String> fieldsInError(HttpResponse<String> problem) {
        return Json.texts(problem.body(), "errors", "field");
    }

    /** For tests that make payments old in several steps, or count what their own reaper forgets. */
    public IngestWorld withoutReaper() {
        service.stopReaper();
        return this;
    }

    @Override
    public void close() {
        service.close();
        client.close();
    }
}
