// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Migrate;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.database.People;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.Topics;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The watchdog over the real services, as a person sees it. */
@Tag("proof")
class LostFromATierTest {

    private static final List<Duration> TIERS = List.of(Duration.ofMillis(500), Duration.ofSeconds(1));
    /** Time enough to see the loss before it is healed. */
    private static final Duration SWEEP_AFTER = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final JsonMapper JSON = new JsonMapper();

    private final PostgresServer postgres = PostgresServer.startTemporary();
    private final StripeSimulator stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
    private final Topics topics = new Topics("lost-" + UUID.randomUUID().toString().substring(0, 8));
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final Admin admin = kafka.newAdmin();
    private final Meters meters = Meters.of("test");
    private final HttpClient person = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final PipelineSettings pipeline = new PipelineSettings(postgres.newDatabase(), "postgres", "", kafka.bootstrapServers(),
            Optional.empty(), topics.prefix(), TIERS, Optional.empty());

    @BeforeEach
    void prepare() throws Exception {
        Migrate.schema(pipeline);
        Migrate.topics(pipeline, 2, Optional.of((short) 1));
        Migrate.roles(pipeline, Optional.empty());
        text("WITH merchant AS (INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme') RETURNING merchant_id) "
                + "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) SELECT sha256('test_acme'), merchant_id FROM merchant "
                + "RETURNING merchant_id");
        People.add(pipeline.databaseUrl(), "postgres", "", "reader", "chargeonce_dlq_reader", Optional.of("secret".toCharArray()));
        // The console lets nobody in whom Postgres does not ask for a password.
        Files.writeString(Path.of(text("SHOW hba_file")),
                "host all reader 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
        text("SELECT pg_reload_conf()");
        Awaitility.await().until(() -> text("SELECT count(*) FROM pg_hba_file_rules").equals("2"));
    }

    @AfterEach
    void close() {
        person.close();
        meters.close();
        admin.close();
        stripe.close();
        postgres.close();
    }

    @Test
    void a_record_deleted_from_a_tier_is_overdue_for_the_watchdog_until_the_sweeper_has_healed_it() throws Exception {
        var charging = new ChargeSettings(pipeline, List.of(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(),
                Duration.ofSeconds(1))), 100, Duration.ofSeconds(8), Duration.ofSeconds(1), List.of(Duration.ofMillis(300)),
                SWEEP_AFTER, Optional.empty(), ChargeSettings.Pace.USUAL);
        var console = new ConsoleSettings(pipeline, new Address("127.0.0.1", 0), Optional.empty(), Vault.WITHOUT_KEY,
                Sessions.Lifetime.USUAL, new WitnessSettings(Optional.empty(), Optional.empty(), Duration.ofSeconds(9),
                        Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofMillis(200)));
        try (var page = ConsoleService.start(console, meters);
             var ingest = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)), meters);
             var charge = ChargeService.start(charging, meters);
             var acme = new PaymentClient(URI.create("http://127.0.0.1:" + ingest.port()), "test_acme", Retries.USUAL)) {
            signIn(page);
            long sick = stripe.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM).always());
            assertThat(acme.send(NewPayment.of("order-1", 1299, "EUR", "pm_card_visa"))).isInstanceOf(Sent.Accepted.class);
            // No retry service runs yet, so none has fetched the record.
            Awaitility.await().atMost(PATIENCE).until(() -> text("SELECT count(*) FROM chargeonce.operation_state WHERE tier > 0 "
                    + "AND NOT EXISTS (SELECT FROM chargeonce.outbox)").equals("1"));
            String payment = text("SELECT payment_id FROM chargeonce.operation_now");
            Awaitility.await().atMost(PATIENCE).until(() -> get(page, "/api/payments/" + payment).at("/journey").valueStream()
                    .anyMatch(hop -> hop.path("stage").asString().startsWith("retry-")));
            stripe.removeRule(sick);
            deleteWhatWaits();

            Awaitility.await().atMost(PATIENCE).until(() -> get(page, "/api/overview").at("/overdue/count").asLong() == 1);
            JsonNode overview = get(page, "/api/overview");
            assertThat(overview.at("/verdict").asString()).isEqualTo("stuck");
            assertThat(overview.at("/overdue/money/0/amount").asLong()).isEqualTo(1299);
            assertThat(get(page, "/api/overdue").at("/items/0/payment_id").asString()).isEqualTo(payment);
            Awaitility.await().atMost(PATIENCE).until(() -> meter("chargeonce.witness.overdue") == 1);
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(balanced(page))
                    .as("%s %s", get(page, "/api/conservation"), get(page, "/api/overview").at("/witness")).isFalse());
            Awaitility.await().atMost(PATIENCE).until(() -> events().equals(List.of("overdue")));
            assertThat(text("SELECT state FROM chargeonce.operation_now")).isNotEqualTo("succeeded");

            try (var retry = RetryService.start(charging, meters)) {
                Awaitility.await().atMost(PATIENCE).until(() -> text("SELECT state FROM chargeonce.operation_now").equals("succeeded"));
                Awaitility.await().atMost(PATIENCE).until(() -> get(page, "/api/overview").at("/overdue/count").asLong() == 0);
                Awaitility.await().atMost(PATIENCE).until(() -> meter("chargeonce.witness.overdue") == 0);
                Awaitility.await().atMost(PATIENCE).until(() -> Boolean.TRUE.equals(balanced(page)));
                Awaitility.await().atMost(PATIENCE).until(() -> events().equals(List.of("overdue", "over")));
                assertThat(get(page, "/api/overdue").at("/items").isEmpty()).isTrue();
            }
            assertThat(stripe.movements()).filteredOn(moved -> moved.kind() == Movement.Kind.CAPTURE).hasSize(1);
            assertThat(charge).isNotNull();
        }
    }

    private void deleteWhatWaits() throws Exception {
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        for (int tier = 1; tier <= TIERS.size(); tier++) {
            for (int partition = 0; partition < 2; partition++) {
                ends.put(new TopicPartition(topics.retry(tier), partition), OffsetSpec.latest());
            }
        }
        var deleted = new HashMap<TopicPartition, RecordsToDelete>();
        admin.listOffsets(ends).all().get().forEach((partition, end) -> deleted.put(partition, RecordsToDelete.beforeOffset(end.offset())));
        admin.deleteRecords(deleted).all().get();
    }

    private void signIn(ConsoleService page) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + page.port() + "/api/session"))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString("{\"token\": \"reader:secret\"}"));
        HttpResponse<String> in = person.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(in.statusCode()).as(in.body()).isEqualTo(200);
    }

    private JsonNode get(ConsoleService page, String path) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + page.port() + path)).build();
        HttpResponse<String> answer = person.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    /** Null while the witness does not know. */
    private Boolean balanced(ConsoleService page) throws Exception {
        JsonNode word = get(page, "/api/conservation").path("balanced");
        return word.isBoolean() ? Boolean.valueOf(word.asBoolean()) : null;
    }

    private double meter(String name) {
        return meters.registry().find(name).gauges().stream().mapToDouble(gauge -> gauge.value()).sum();
    }

    private List<String> events() {
        Map<String, Object> client = kafka.clientProperties();
        client.put("isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(client, new StringDeserializer(), new StringDeserializer())) {
            var partitions = consumer.partitionsFor(topics.overdue()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var events = new ArrayList<String>();
            consumer.poll(Duration.ofSeconds(1)).forEach(record -> events.add(JSON.readTree(record.value()).path("status").asString()));
            return events;
        }
    }

    private String text(String sql) throws Exception {
        try (var connection = DriverManager.getConnection(pipeline.databaseUrl(), "postgres", "");
             var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
