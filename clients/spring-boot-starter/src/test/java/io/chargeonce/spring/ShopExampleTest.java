// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.database.Migrations;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.CompiledJar;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/spring-shop}, as its own build makes it, in a process of its own that is killed, and the pipeline that charges. */
@Tag("proof")
class ShopExampleTest {

    private static final List<Duration> TIERS = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2));
    private static final String ORDER = "order-1:1299:EUR:pm_card_visa";

    private final StripeSimulator stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Meters meters = Meters.of("test");
    private final String database = TestStack.newDatabase();
    private final List<Process> processes = new ArrayList<>();
    private Lifecycle charge;
    private IngestService ingest;
    private FrontOfIngest front;
    private PaymentClient acme;
    private Path shop;

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws Exception {
        shop = CompiledJar.of(directory.resolve("shop.jar"), Path.of("../../examples/spring-shop/src/main"));
        var topics = new Topics("shop");
        var pipeline = new PipelineSettings(TestStack.newDatabase(), "postgres", "", TestStack.kafka().bootstrapServers(), Optional.empty(),
                topics.prefix(), TIERS, Optional.empty());
        Migrations.apply(pipeline.databaseUrl(), "postgres", "");
        try (var admin = Admin.create(Map.of("bootstrap.servers", pipeline.kafka()))) {
            new TopicPlan(topics, TIERS.size(), 1, Optional.empty()).create(admin);
        }
        try (var connection = DriverManager.getConnection(pipeline.databaseUrl()); var statement = connection.createStatement()) {
            statement.execute("INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme'); "
                    + "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme')");
        }
        DataKeys.add(directory.resolve("data-key"));
        Path key = Files.setPosixFilePermissions(Files.writeString(directory.resolve("stripe-key"), "sk_test_sandbox"),
                PosixFilePermissions.fromString("rw-------"));
        charge = ChargeService.start(ChargeSettings.read(Map.of("CHARGEONCE_DATABASE_URL", pipeline.databaseUrl(),
                "CHARGEONCE_DATABASE_USER", "postgres", "CHARGEONCE_TOPIC_PREFIX", topics.prefix(), "CHARGEONCE_RETRY_TIERS", "1s,2s",
                "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", pipeline.kafka(), "CHARGEONCE_STRIPE_API_KEY_FILE", key.toString(),
                "CHARGEONCE_STRIPE_API_BASE", stripe.apiBase().toString(),
                "CHARGEONCE_DATA_KEY_FILE", directory.resolve("data-key") + DataKeys.PUBLIC), ChargeSettings.ALL), meters);
        ingest = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)), meters);
        front = new FrontOfIngest(URI.create("http://127.0.0.1:" + ingest.port()));
        acme = new PaymentClient(URI.create("http://127.0.0.1:" + ingest.port()), "test_acme", Retries.USUAL);
    }

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        acme.close();
        front.close();
        ingest.close();
        charge.close();
        stripe.close();
        meters.close();
    }

    private Process startShop(String... orders) throws Exception {
        var command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
                "-Dorg.springframework.boot.logging.LoggingSystem=none", "-cp", shop + ":" + System.getProperty("java.class.path"),
                "com.example.shop.Shop", "--chargeonce.url=" + front.address(), "--spring.datasource.url=" + database));
        command.addAll(List.of(orders));
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("shop.log").toFile())).start();
        processes.add(process);
        return process;
    }

    /** A request that has reached the front was committed before: the sender takes it from the outbox. */
    private void killWhenItHasSent(Process process, int requests) throws Exception {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> front.keys().size() >= requests || !process.isAlive());
        assertThat(process.isAlive()).as(Files.readString(directory.resolve("shop.log"))).isTrue();
        process.destroyForcibly().waitFor();
    }

    private String inTheShop(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement();
             var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void what_is_ordered_while_the_shops_token_is_refused_stays_in_the_outbox_and_is_charged_later() throws Exception {
        front.refuseTokens();
        startShop(ORDER, "order-2:500:EUR:pm_card_visa");
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> front.keys().size() >= 2);
        front.passOn();
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> inTheShop("SELECT count(*) FROM payment_request").equals("0"));
        assertThat(inTheShop("SELECT string_agg(status, ' ') FROM shop_order")).isEqualTo("payment_accepted payment_accepted");
    }

    /** More of them than are read at once. */
    @Test
    void orders_that_fail_each_time_hold_up_no_other() throws Exception {
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement()) {
            statement.execute(Files.readString(Path.of("../../examples/spring-shop/src/main/resources/schema.sql")) + """
                    ALTER TABLE shop_order ADD CHECK (order_id = 'order-1' OR status = 'placed');
                    INSERT INTO shop_order SELECT 'fails-' || n, 100 + n, 'EUR' FROM generate_series(1, 101) AS n;
                    INSERT INTO shop_order VALUES ('order-1', 1299, 'EUR');
                    INSERT INTO payment_request SELECT order_id, amount, currency, 'pm_card_visa' FROM shop_order""");
        }
        startShop();
        Awaitility.await().atMost(Duration.ofMinutes(2))
                .until(() -> inTheShop("SELECT status FROM shop_order WHERE order_id = 'order-1'").equals("payment_accepted"));
        assertThat(inTheShop("SELECT count(*) FROM payment_request")).isEqualTo("101");
    }

    @Test
    void a_shop_that_is_killed_between_commit_and_send_and_again_before_the_answer_charges_the_order_once() throws Exception {
        front.swallowRequests();
        killWhenItHasSent(startShop(ORDER), 1);
        assertThat(inTheShop("SELECT count(*) FROM payment_request")).isEqualTo("1");
        assertThat(acme.findByKey("order-1-charge")).as("nothing has arrived").isEmpty();

        front.swallowAnswers();
        killWhenItHasSent(startShop(), front.keys().size() + 1);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> acme.findByKey("order-1-charge").isPresent());
        assertThat(inTheShop("SELECT status FROM shop_order")).as("it does not know yet").isEqualTo("placed");

        front.passOn();
        startShop(ORDER);
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> inTheShop("SELECT status FROM shop_order").equals("payment_accepted"));
        String payment = acme.findByKey("order-1-charge").orElseThrow().id();
        assertThat(inTheShop("SELECT payment_id FROM shop_order")).isEqualTo(payment);
        assertThat(inTheShop("SELECT count(*) FROM payment_request")).isEqualTo("0");
        assertThat(front.keys()).hasSizeGreaterThanOrEqualTo(3).containsOnly("order-1-charge");
        assertThat(acme.await(payment, Duration.ofMinutes(1)).orElseThrow().status()).isEqualTo("succeeded");
        assertThat(stripe.movements()).filteredOn(moved -> moved.kind() == Movement.Kind.CAPTURE).singleElement()
                .satisfies(moved -> assertThat(moved.amount()).isEqualTo(1299));
    }
}
