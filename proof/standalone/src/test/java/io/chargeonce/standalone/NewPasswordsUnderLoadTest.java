// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.app.Migrate;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Settings;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.vault.DataKeys;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Postgres's passwords change while payments stream in, as a managed Postgres and a vault do it: nothing restarts. */
class NewPasswordsUnderLoadTest {

    private static final List<String> SERVICES = List.of("ingest", "charge", "retry");
    private static final String OURS = "FROM pg_stat_activity WHERE usename ~ '^chargeonce_(ingest|charge|retry)$'";
    private static final int SENDERS = 4;
    private static final int BETWEEN = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StripeSimulator stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Map<String, ClientCall> calls = new ConcurrentHashMap<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final String topics = "passwords-" + UUID.randomUUID().toString().substring(0, 8);
    private PostgresServer postgres;
    @TempDir
    private Path directory;

    @Test
    void passwords_change_and_connections_are_cut_off_and_every_payment_is_charged_once() throws Exception {
        try (PostgresServer server = PostgresServer.startTemporary(); stripe; Meters meters = Meters.of("test")) {
            postgres = server;
            PipelineSettings owner = owner();
            createDatabase();
            Migrate.schema(owner);
            Migrate.topics(owner, 2, Optional.of((short) 1));
            inPostgres(owner, "1");
            for (String service : SERVICES) {
                inFile(service, "1");
            }
            askForPasswords();
            SandboxMerchants.create(owner);
            try (var charge = ChargeService.start(ChargeSettings.read(environment("charge"), Environment.CATALOGUE), meters);
                 var retry = RetryService.start(ChargeSettings.read(environment("retry"), Environment.CATALOGUE), meters);
                 var ingest = IngestService.start(Settings.load(environment("ingest"), IngestSettings.ALL, Environment.CATALOGUE)
                         .read(IngestSettings::from), meters);
                 var client = new PaymentClient(URI.create("http://127.0.0.1:" + ingest.port()), SandboxMerchants.ACME_TOKEN,
                         Retries.USUAL)) {
                underLoad(client, () -> {
                    acceptMore();
                    // Postgres has the new one first, and refuses the old one until the file has it too.
                    inPostgres(owner, "2");
                    cutOff();
                    Awaitility.await().atMost(PATIENCE).until(() -> text("SELECT count(*) " + OURS).equals("0"));
                    for (String service : SERVICES) {
                        inFile(service, "2");
                    }
                    awaitConnections();
                    acceptMore();
                    // The file has the new one first, as a token that is made before the old one ends.
                    for (String service : SERVICES) {
                        inFile(service, "3");
                    }
                    inPostgres(owner, "3");
                    cutOff();
                    awaitConnections();
                    acceptMore();
                });
                Awaitility.await().atMost(PATIENCE).until(() -> text("""
                        SELECT ((SELECT count(*) FROM chargeonce.outbox) + count(*))::text FROM chargeonce.operation_now
                         WHERE state NOT IN ('succeeded', 'declined', 'dead')
                        """).equals("0"));
            }
            CheckVerdict verdict = Checker.check(CheckEvidence.of(url(), "postgres", "", owner.kafka(), owner.tiers(),
                    List.of(stripe.apiBase())).topicPrefix(topics).calls(new Calls.InMemory(List.copyOf(calls.values()))));
            assertThat(verdict.balanced()).as(verdict.json()).isTrue();
            assertThat(calls).hasSizeGreaterThanOrEqualTo(3 * BETWEEN);
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Each sender repeats a payment until it is accepted. */
    private void underLoad(PaymentClient client, Work work) throws Exception {
        var number = new AtomicInteger();
        var ends = new AtomicBoolean();
        try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> sending = IntStream.range(0, SENDERS).<Future<?>>mapToObj(sender -> senders.submit(() -> {
                while (!ends.get()) {
                    send(client, "order-" + number.incrementAndGet());
                }
                return null;
            })).toList();
            try {
                work.run();
            } finally {
                ends.set(true);
                for (Future<?> sender : sending) {
                    await(sender);
                }
            }
        }
    }

    private static void await(Future<?> sender) throws InterruptedException {
        try {
            sender.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private void send(PaymentClient client, String key) throws InterruptedException {
        Sent sent = client.send(NewPayment.of(key, 1299, "EUR", "pm_card_visa"));
        for (int again = 0; !(sent instanceof Sent.Accepted) && again < 5; again++) {
            sent = client.send(NewPayment.of(key, 1299, "EUR", "pm_card_visa"));
        }
        assertThat(sent).isInstanceOf(Sent.Accepted.class);
        calls.put(key, new ClientCall("acme", key, new ClientCall.Content(1299, "EUR", "pm_card_visa"), ClientCall.Result.OK,
                Optional.of(((Sent.Accepted) sent).paymentId())));
        accepted.incrementAndGet();
    }

    private void acceptMore() {
        int wanted = accepted.get() + BETWEEN;
        Awaitility.await().atMost(PATIENCE).until(() -> accepted.get() >= wanted);
    }

    private PipelineSettings owner() {
        return new PipelineSettings(url(), "chargeonce_owner", "owner", TestStack.kafka().bootstrapServers(), Optional.empty(), topics,
                List.of(Duration.ofMillis(300), Duration.ofMillis(600)), Optional.empty());
    }

    private String url() {
        return postgres.jdbcUrl("managed").replaceAll("\\?.*", "");
    }

    /** As docs/operate/install.md says it: the first login of a managed Postgres is no superuser. */
    private void createDatabase() throws SQLException {
        String first = postgres.jdbcUrl();
        try (var superuser = DriverManager.getConnection(first); var statement = superuser.createStatement()) {
            statement.execute("CREATE ROLE master LOGIN CREATEROLE CREATEDB");
        }
        try (var master = DriverManager.getConnection(first.replace("user=postgres", "user=master"));
             var statement = master.createStatement()) {
            for (String sql : List.of("CREATE ROLE chargeonce_owner LOGIN CREATEROLE PASSWORD 'owner'",
                    "GRANT chargeonce_owner TO CURRENT_USER", "CREATE DATABASE managed OWNER chargeonce_owner")) {
                statement.execute(sql);
            }
        }
    }

    private Map<String, String> environment(String service) throws Exception {
        Path key = directory.resolve("data-key");
        if (Files.notExists(key)) {
            DataKeys.add(key);
        }
        var environment = new HashMap<String, String>(Map.of("CHARGEONCE_DATABASE_URL", url(),
                "CHARGEONCE_DATABASE_USER", "chargeonce_" + service,
                "CHARGEONCE_DATABASE_PASSWORD_FILE", directory.resolve(service).toString(),
                "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", TestStack.kafka().bootstrapServers(), "CHARGEONCE_TOPIC_PREFIX", topics,
                "CHARGEONCE_RETRY_TIERS", "300ms,600ms", "CHARGEONCE_INGEST_ADDRESS", "127.0.0.1:0"));
        if (!service.equals("ingest")) {
            environment.putAll(Map.of("CHARGEONCE_DATA_KEY_FILE", key + DataKeys.PUBLIC,
                    "CHARGEONCE_STRIPE_API_KEY_FILE", secret("stripe", "sk_test_sandbox").toString(),
                    "CHARGEONCE_STRIPE_API_BASE", stripe.apiBase().toString()));
        }
        return environment;
    }

    /** The embedded Postgres trusts everybody at first. */
    private void askForPasswords() throws Exception {
        Files.writeString(Path.of(text("SHOW hba_file")),
                "host all /^chargeonce_ 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
        text("SELECT pg_reload_conf()::text");
        Awaitility.await().until(() -> text("SELECT count(*)::text FROM pg_hba_file_rules").equals("2"));
    }

    private void inPostgres(PipelineSettings owner, String version) throws Exception {
        Path passwords = Files.createDirectories(directory.resolve("passwords-" + version));
        for (String service : SERVICES) {
            Files.writeString(passwords.resolve("chargeonce_" + service), service + version);
        }
        Migrate.roles(owner, Optional.of(passwords));
    }

    private void inFile(String service, String version) throws Exception {
        Files.move(secret(service + ".new", service + version), directory.resolve(service), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path secret(String name, String text) throws Exception {
        return Files.setPosixFilePermissions(Files.writeString(directory.resolve(name), text),
                PosixFilePermissions.fromString("rw-------"));
    }

    private void cutOff() throws SQLException {
        assertThat(Integer.parseInt(text("SELECT count(pg_terminate_backend(pid))::text " + OURS))).isGreaterThanOrEqualTo(3);
    }

    private void awaitConnections() {
        Awaitility.await().atMost(PATIENCE).until(() -> text("SELECT count(DISTINCT usename) " + OURS).equals("3"));
    }

    private String text(String query) throws SQLException {
        try (var connection = DriverManager.getConnection(url(), "postgres", "");
             var row = connection.createStatement().executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
