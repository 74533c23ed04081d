// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.app.Migrate;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.NewPaymentMethod;
import io.chargeonce.client.NewRefund;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.psp.PspProviders;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.CompiledJar;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.vault.DataKeys;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The whole pipeline, with a PSP that only a jar in a folder brings: {@code examples/psp-plugin}, as its own build makes it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PspPluginTest {

    private static final List<Duration> TIERS = List.of(Duration.ofMillis(300), Duration.ofMillis(600));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StripeSimulator stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Meters meters = Meters.of("test");
    private PspSimulator paper;
    private Lifecycle charge;
    private Lifecycle retry;
    private IngestService ingest;
    private PaymentClient acme;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Path plugins = Files.createDirectory(directory.resolve("plugins"));
        Path example = Repository.root().resolve("examples/psp-plugin/src");
        Path plugin = CompiledJar.of(plugins.resolve("paper.jar"), example.resolve("main"));
        Path simulator = CompiledJar.of(directory.resolve("simulator.jar"), only(directory, example, "PaperPsp.java"), plugin);
        var loader = new URLClassLoader(new URL[] {simulator.toUri().toURL()}, getClass().getClassLoader());
        paper = (PspSimulator) loader.loadClass("com.example.paper.PaperPsp").getMethod("start").invoke(null);
        var address = (String) paper.getClass().getMethod("address").invoke(paper);

        var topics = "plugin-" + UUID.randomUUID().toString().substring(0, 8);
        var pipeline = new PipelineSettings(TestStack.newDatabase(), "postgres", "", TestStack.kafka().bootstrapServers(),
                Optional.empty(), topics, TIERS, Optional.empty());
        Migrate.schema(pipeline);
        Migrate.topics(pipeline, 2, Optional.of((short) 1));
        try (var connection = DriverManager.getConnection(pipeline.databaseUrl(), "postgres", "");
             var statement = connection.createStatement()) {
            statement.execute("INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme'); "
                    + "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme')");
        }
        DataKeys.add(directory.resolve("data-key"));
        ChargeSettings settings = ChargeSettings.read(Map.ofEntries(Map.entry("CHARGEONCE_DATABASE_URL", pipeline.databaseUrl()),
                Map.entry("CHARGEONCE_DATABASE_USER", "postgres"), Map.entry("CHARGEONCE_TOPIC_PREFIX", topics),
                Map.entry("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", pipeline.kafka()), Map.entry("CHARGEONCE_RETRY_TIERS", "300ms,600ms"),
                Map.entry("CHARGEONCE_DATA_KEY_FILE", directory.resolve("data-key") + DataKeys.PUBLIC),
                Map.entry("CHARGEONCE_STRIPE_API_KEY_FILE", secret(directory, "sk_test_sandbox")),
                Map.entry("CHARGEONCE_STRIPE_API_BASE", stripe.apiBase().toString()), Map.entry("CHARGEONCE_PSP_TIMEOUT", "1s"),
                Map.entry("CHARGEONCE_RESOLVE_LADDER", "300ms"), Map.entry("CHARGEONCE_CLAIM_LEASE", "8s"),
                Map.entry("CHARGEONCE_PSP_PLUGINS", plugins.toString()),
                Map.entry("CHARGEONCE_PSP_PAPER_KEY_FILE", secret(directory, "paper-key")),
                Map.entry("CHARGEONCE_PSP_PAPER_BASE", address), Map.entry("CHARGEONCE_PSP_QUOTAS", "paper=100"),
                Map.entry("CHARGEONCE_ROUTES", "method=card_ -> paper; -> stripe,paper")), Environment.CATALOGUE);
        charge = ChargeService.start(settings, meters);
        retry = RetryService.start(settings, meters);
        ingest = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24))
                .with(PspProviders.in(Optional.of(plugins)).known()), meters);
        acme = new PaymentClient(URI.create("http://127.0.0.1:" + ingest.port()), "test_acme", Retries.USUAL);
    }

    /** The simulator's source, without the tests beside it. */
    private static Path only(Path directory, Path example, String file) throws Exception {
        Path java = Files.createDirectories(directory.resolve("simulator/java"));
        Files.copy(example.resolve("test/java/com/example/paper").resolve(file), java.resolve(file));
        return java.getParent();
    }

    private static String secret(Path directory, String text) throws Exception {
        return Files.setPosixFilePermissions(Files.writeString(directory.resolve(text), text), PosixFilePermissions.fromString("rw-------"))
                .toString();
    }

    @AfterAll
    void close() {
        acme.close();
        ingest.close();
        retry.close();
        charge.close();
        paper.close();
        stripe.close();
        meters.close();
    }

    private static String accepted(Sent sent) {
        assertThat(sent).isInstanceOf(Sent.Accepted.class);
        return ((Sent.Accepted) sent).paymentId();
    }

    private List<Movement> at(PspSimulator psp, Movement.Kind kind, String payment) {
        return psp.movements().stream().filter(moved -> moved.kind() == kind
                && (kind == Movement.Kind.REFUND || payment.equals(moved.metadata().get("payment_id")))).toList();
    }

    private void awaitStatus(String payment, String status) {
        Awaitility.await().atMost(PATIENCE).until(() -> acme.find(payment).orElseThrow().status().equals(status));
    }

    @Test
    void a_payment_is_charged_through_the_plugin_and_given_back() throws Exception {
        String payment = accepted(acme.send(NewPayment.of("order-1", 1299, "EUR", "card_1")));
        awaitStatus(payment, "succeeded");
        assertThat(at(paper, Movement.Kind.CAPTURE, payment)).singleElement()
                .satisfies(moved -> assertThat(moved.amount()).isEqualTo(1299));
        accepted(acme.refund(NewRefund.ofAll(payment)));
        awaitStatus(payment, "refunded");
        assertThat(at(paper, Movement.Kind.REFUND, payment)).singleElement().satisfies(moved -> assertThat(moved.amount()).isEqualTo(1299));
    }

    @Test
    void an_answer_that_is_lost_is_found_out_and_nothing_is_charged_twice() throws Exception {
        paper.inject(FaultRule.once(new Fault.AnswerLost()));
        String payment = accepted(acme.send(NewPayment.of("order-2", 500, "EUR", "card_2")));
        awaitStatus(payment, "succeeded");
        assertThat(at(paper, Movement.Kind.CAPTURE, payment)).hasSize(1);
    }

    @Test
    void a_stored_method_with_a_token_of_the_plugins_psp_fails_over_to_it() throws Exception {
        String method = accepted(acme.store(NewPaymentMethod.of("jane", "jane").withStripe("stripe", "cus_jane", "pm_card_visa")
                .with("paper", Map.of("drawer", "jane", "card", "card_3"))));
        stripe.refuseConnections();
        try {
            String payment = accepted(acme.send(NewPayment.of("order-3", 700, "EUR", method)));
            awaitStatus(payment, "succeeded");
            assertThat(at(paper, Movement.Kind.CAPTURE, payment)).hasSize(1);
            assertThat(at(stripe, Movement.Kind.CAPTURE, payment)).isEmpty();
        } finally {
            stripe.acceptConnections();
        }
    }

    @Test
    void what_the_plugins_psp_cannot_say_is_refused_when_it_is_sent() throws Exception {
        assertThat(acme.send(NewPayment.of("order-4", 1234, "KWD", "card_4"))).isInstanceOfSatisfying(Sent.Refused.class,
                refused -> assertThat(refused.type()).endsWith("amount-not-representable"));
        assertThat(acme.store(NewPaymentMethod.of("joe", "joe").with("paper", Map.of("customer", "joe", "card", "x".repeat(41)))))
                .isInstanceOfSatisfying(Sent.Refused.class, refused -> assertThat(refused.errors()).extracting(Sent.FieldError::field)
                        .contains("tokens.paper.customer", "tokens.paper.drawer"));
    }
}
