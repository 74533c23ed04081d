// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.app.Migrate;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.console.witness.Witness;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.database.raw.RawRow;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.TargetTopics;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.wire.AccessPlan;
import io.chargeonce.wire.TopicCheck;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pipeline as production runs it: TLS with verified names to Kafka and Postgres, a principal and a role per service, and
 * an authorizer that allows only what {@code migrate --roles} set up. The certificates are self-made.
 */
@Tag("proof")
class EncryptedTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OWNER = "postgres";
    @TempDir
    static Path directory;
    private static Certificates ours;
    private static Certificates others;
    private static Certificates elsewhere;
    private static PostgresServer postgres;
    private static GuardedBroker kafka;

    @BeforeAll
    static void start() throws Exception {
        ours = Certificates.make(directory.resolve("ours"), "ip:127.0.0.1");
        others = Certificates.make(directory.resolve("others"), "ip:127.0.0.1");
        elsewhere = Certificates.make(directory.resolve("elsewhere"), "dns:elsewhere.example");
        postgres = PostgresServer.startTemporary();
        serve(ours);
        kafka = GuardedBroker.start(directory, ours);
        Migrate.schema(pipeline(OWNER, "admin"));
        Migrate.topics(pipeline(OWNER, "admin"), 2, Optional.of((short) 1));
        Migrate.roles(pipeline(OWNER, "admin"), Optional.empty());
        assertThat(Migrate.acls(pipeline(OWNER, "admin")).guarded()).isTrue();
        SandboxMerchants.create(pipeline(OWNER, "admin"));
    }

    @AfterAll
    static void stop() {
        kafka.close();
        postgres.close();
    }

    @Test
    void payments_succeed_and_are_retried_over_tls_with_each_service_under_its_own_name() throws Exception {
        try (var stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
             var meters = Meters.of("test");
             var ingest = IngestService.start(new IngestSettings(pipeline("chargeonce_ingest", "chargeonce-ingest"),
                     new Address("127.0.0.1", 0), 16, Duration.ofHours(24), Optional.empty()), meters);
             var charge = ChargeService.start(charging("chargeonce_charge", "chargeonce-charge", stripe), meters);
             var retry = RetryService.start(charging("chargeonce_retry", "chargeonce-retry", stripe), meters)) {
            String good = pay(ingest, "good");
            await(good, "succeeded");
            stripe.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM));
            await(pay(ingest, "retried"), "succeeded");
            Awaitility.await().atMost(PATIENCE).until(() -> records("payments.retry-1") == 1 && records("payments.outcomes") == 2);
        }
    }

    @Test
    void the_witness_reads_and_keeps_its_own_topics_with_the_rights_of_the_console() throws Exception {
        var settings = new WitnessSettings(Optional.empty(), Optional.of(directory.resolve("witness")), Duration.ofMinutes(5),
                Duration.ofMinutes(1), Duration.ofDays(14), Duration.ofMillis(200));
        try (var meters = Meters.of("test");
             var witness = Witness.start(settings, connection("chargeonce-console", ours), new Topics("payments"), "/chargeonce",
                     List.of(Duration.ofSeconds(1)), meters.registry())) {
            Awaitility.await().atMost(PATIENCE).until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    @Test
    void a_service_may_not_write_where_it_has_nothing_to_say() throws Exception {
        try (var producer = new KafkaProducer<>(connection("chargeonce-charge", ours).clientProperties(),
                new ByteArraySerializer(), new ByteArraySerializer())) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>("payments.intake.acme", new byte[1])).get())
                    .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(TopicAuthorizationException.class);
        }
    }

    @Test
    void a_service_may_not_delete_a_topic() throws Exception {
        try (var admin = Admin.create(connection("chargeonce-ingest", ours).clientProperties())) {
            assertThatThrownBy(() -> admin.deleteTopics(Set.of("payments.requests")).all().get())
                    .hasCauseInstanceOf(TopicAuthorizationException.class);
        }
    }

    @Test
    void rights_in_kafka_beyond_the_plan_are_taken_back_and_those_of_other_applications_stay() throws Exception {
        var requests = new ResourcePattern(ResourceType.TOPIC, "payments.requests", PatternType.LITERAL);
        var byHand = new AclBinding(requests, allowed("User:chargeonce-ingest", AclOperation.DELETE));
        var everyones = new AclBinding(requests, allowed("User:*", AclOperation.WRITE));
        var anothers = new AclBinding(new ResourcePattern(ResourceType.TOPIC, "orders", PatternType.LITERAL),
                allowed("User:*", AclOperation.READ));
        try (var admin = Admin.create(connection("admin", ours).clientProperties())) {
            admin.createAcls(List.of(byHand, everyones, anothers)).all().get();
            AccessPlan.Applied applied = Migrate.acls(pipeline(OWNER, "chargeonce-migrate"));
            assertThat(applied.tookBack()).containsExactly(byHand);
            assertThat(applied.left()).as("a person decides about them").containsExactly(everyones);
            assertThat(Migrate.acls(pipeline(OWNER, "chargeonce-migrate")).tookBack()).isEmpty();
            admin.deleteAcls(List.of(everyones.toFilter(), anothers.toFilter())).all().get();
        }
    }

    @Test
    void another_systems_topic_is_open_to_imports_and_merges_while_migrate_names_it() throws Exception {
        var settings = pipeline(OWNER, "chargeonce-migrate");
        try (var admin = Admin.create(connection("admin", ours).clientProperties());
             var onCall = Admin.create(connection("chargeonce-on-call", ours).clientProperties())) {
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
            var orders = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
            assertThatThrownBy(() -> onCall.describeConfigs(List.of(orders)).all().get())
                    .hasCauseInstanceOf(TopicAuthorizationException.class);
            assertThat(obstacle("orders")).as("a run goes on with the others").contains(MoveResult.NO_TOPIC);
            assertThat(Migrate.acls(settings, List.of("orders")).tookBack()).isEmpty();
            assertThat(obstacle("orders")).isEmpty();
            assertThat(onCall.describeConfigs(List.of(orders)).all().get()).containsKey(orders);
            try (var relay = new ProducerSettings(connection("chargeonce-ingest", ours), "relay").newProducer()) {
                assertThat(relay.send(new ProducerRecord<>("orders", new byte[] {1})).get().offset()).isZero();
            }
            assertThat(Migrate.acls(settings).tookBack()).hasSize(11);
            admin.deleteTopics(List.of("orders")).all().get();
        }
    }

    /** To sending a record back there. */
    private static Optional<MoveResult> obstacle(String topic) throws Exception {
        KafkaConnection onCall = connection("chargeonce-on-call", ours);
        var targets = new TargetTopics();
        targets.ask(() -> onCall, List.of(topic));
        return targets.obstacle(new RawRow(topic, "psn_1", null, Optional.empty(), new byte[0]));
    }

    @Test
    void the_principal_of_migrate_can_do_all_that_migrate_does() throws Exception {
        var settings = pipeline(OWNER, "chargeonce-migrate");
        try (var admin = Admin.create(connection("chargeonce-migrate", ours).clientProperties())) {
            var other = new Topics("payments.other");
            assertThat(new TopicPlan(other, 1, Optional.of((short) 1)).create(admin)).hasSize(12);
            var check = new TopicCheck(new TopicPlan(other, 2, Optional.of((short) 1)), admin);
            assertThat(check.grow()).hasSize(10);
            assertThat(check.repair()).isEmpty();
            assertThat(check.topicsMakeThemselves()).contains(false);
        }
        assertThat(Migrate.acls(settings).guarded()).isTrue();
    }

    @Test
    void people_on_call_read_the_dead_letters_and_nothing_else() throws Exception {
        try (var admin = Admin.create(connection("chargeonce-on-call", ours).clientProperties())) {
            assertThat(admin.listTopics().names().get()).containsExactlyInAnyOrder("payments.dlq", "payments.audit-seals");
        }
    }

    @Test
    void an_application_reads_the_outcomes_with_groups_of_its_own_name_only() throws Exception {
        try (var admin = Admin.create(connection("admin", ours).clientProperties())) {
            admin.createAcls(new AccessPlan(new Topics("payments"), 3).readsOutcomes("shop")).all().get();
        }
        try (var reader = outcomes("shop-emails")) {
            reader.poll(Duration.ofSeconds(5));
            assertThat(reader.groupMetadata().groupId()).isEqualTo("shop-emails");
        }
        try (var reader = outcomes("payments.requests.workers")) {
            assertThatThrownBy(() -> reader.poll(Duration.ofSeconds(5))).isInstanceOf(GroupAuthorizationException.class);
        }
    }

    private static KafkaConsumer<byte[], byte[]> outcomes(String group) throws Exception {
        var settings = connection("shop", ours).clientProperties();
        settings.put("group.id", group);
        var reader = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        reader.subscribe(List.of("payments.outcomes"));
        return reader;
    }

    private static AccessControlEntry allowed(String principal, AclOperation operation) {
        return new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW);
    }

    @Test
    void a_broker_with_a_strangers_certificate_is_refused() throws Exception {
        try (var admin = Admin.create(connection("admin", others).clientProperties())) {
            assertThatThrownBy(() -> admin.listTopics().names().get()).hasCauseInstanceOf(SslAuthenticationException.class);
        }
    }

    @Test
    void a_postgres_with_a_strangers_certificate_is_refused() {
        assertThatThrownBy(() -> DriverManager.getConnection(url(OWNER, others)))
                .isInstanceOf(SQLException.class).hasMessageContaining("SSL");
    }

    @Test
    void a_postgres_with_a_trusted_certificate_for_another_host_is_refused() throws Exception {
        serve(elsewhere);
        try {
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThatThrownBy(
                    () -> DriverManager.getConnection(url(OWNER, elsewhere))).hasMessageContaining("hostname"));
        } finally {
            serve(ours);
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                DriverManager.getConnection(url(OWNER, ours)).close();
                return true;
            });
        }
    }

    private static void serve(Certificates certificates) throws SQLException {
        try (var connection = DriverManager.getConnection(postgres.jdbcUrl()); var statement = connection.createStatement()) {
            for (String setting : List.of("ssl_cert_file = '" + certificates.certificate() + "'",
                    "ssl_key_file = '" + certificates.key() + "'", "ssl = on")) {
                statement.execute("ALTER SYSTEM SET " + setting);
            }
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    private static String url(String role, Certificates trusted) {
        return "jdbc:postgresql://127.0.0.1:%d/chargeonce?user=%s&sslmode=verify-full&sslrootcert=%s"
                .formatted(postgres.port(), role, trusted.certificate());
    }

    private static PipelineSettings pipeline(String role, String principal) throws Exception {
        return new PipelineSettings(url(role, ours), role, "", kafka.bootstrapServers(),
                Optional.of(kafka.clientProperties(principal, ours)), "payments",
                List.of(Duration.ofMillis(200), Duration.ofMillis(300), Duration.ofMillis(400)), Optional.empty());
    }

    private static KafkaConnection connection(String principal, Certificates trusted) throws Exception {
        return KafkaConnection.of(kafka.bootstrapServers(), Optional.of(kafka.clientProperties(principal, trusted)));
    }

    private static ChargeSettings charging(String role, String principal, StripeSimulator stripe) throws Exception {
        return new ChargeSettings(pipeline(role, principal), List.of(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(),
                Duration.ofSeconds(2))), 100, Duration.ofSeconds(12), Duration.ofSeconds(1), List.of(Duration.ofMillis(300)),
                Duration.ofSeconds(5), Optional.empty(), ChargeSettings.Pace.USUAL);
    }

    private static long records(String topic) throws Exception {
        try (var admin = Admin.create(connection("admin", ours).clientProperties())) {
            var ends = admin.listOffsets(java.util.Map.of(new TopicPartition(topic, 0), OffsetSpec.latest(),
                    new TopicPartition(topic, 1), OffsetSpec.latest())).all().get();
            return ends.values().stream().mapToLong(end -> end.offset()).sum();
        }
    }

    private static String pay(IngestService ingest, String key) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ingest.port() + "/v1/payments"))
                .header("Authorization", "Bearer " + SandboxMerchants.ACME_TOKEN)
                .header("Idempotency-Key", key).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": 1299, \"currency\": \"EUR\", "
                        + "\"payment_method\": \"pm_card_visa\", \"reference\": \"%s\"}".formatted(key)))
                .build();
        try (var http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            return answer.body().replaceAll("(?s).*\"id\"\\s*:\\s*\"([^\"]+)\".*", "$1");
        }
    }

    private static void await(String payment, String state) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            try (var connection = DriverManager.getConnection(url(OWNER, ours)); var statement = connection.prepareStatement(
                    "SELECT state FROM chargeonce.operation_now WHERE operation_id = ?")) {
                statement.setString(1, payment);
                try (var row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).isEqualTo(state);
                }
            }
        });
    }
}
