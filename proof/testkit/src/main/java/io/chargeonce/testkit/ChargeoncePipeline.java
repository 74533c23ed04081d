// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.finding.Violation;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.Directories;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/**
 * A whole pipeline in the test's JVM: Kafka, Postgres, both PSPs' simulators, ingest, charge, retries and merchants' webhooks, with a
 * client that is ready to send. Broker and Postgres are those of {@link TestStack}, one for the JVM; each pipeline has topics and a
 * database of its own. Retry tiers last 0.5, 1 and 2 seconds. Any thread.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final ChargeoncePipeline chargeonce = new ChargeoncePipeline();
 *
 * @Test
 * void an_order_is_charged_once_although_the_answer_is_lost() {
 *     chargeonce.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM).forMetadata("reference", "order-1"));
 *     String payment = new Shop(chargeonce.client()).pay("order-1", 1299);
 *     assertThat(chargeonce.capturesOf(payment)).hasSize(1);
 *     chargeonce.assertBooksBalance();
 * }
 * }</pre>
 */
public final class ChargeoncePipeline extends RunsDuringTests {

    /** The merchant that {@link #client} sends for. */
    public static final String MERCHANT = "acme";
    public static final String TOKEN = SandboxMerchants.ACME_TOKEN;

    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final CardPipeline.Pace PACE = CardPipeline.Pace.brisk();
    private static final int PARTITIONS = 3;
    private static final Duration TIME_PER_PART = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** So many findings are told in an error. */
    private static final int STORIES = 10;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private record StartedPipeline(Lifecycle lifecycle, PipelineSettings settings, Vault vault, PspSimulators psps, URI url,
            PaymentClient client) {}

    private volatile Optional<StartedPipeline> running = Optional.empty();

    @Override
    public synchronized void start() {
        if (running.isEmpty()) {
            running = Optional.of(started());
        }
    }

    private static StartedPipeline started() {
        var settings = new PipelineSettings(TestStack.newDatabase(ChargeoncePipeline::schema), "postgres", "",
                TestStack.kafka().bootstrapServers(), Optional.empty(), "payments-" + STARTED.incrementAndGet(), PACE.tiers(),
                Optional.empty());
        topics(settings);
        SandboxMerchants.create(settings);
        var vault = vault();
        int webhooks = freePort();
        var lifecycle = new Lifecycle("pipeline of a test", TIME_PER_PART);
        var psps = lifecycle.start("PSPs' simulators", () -> {
            var simulators = new PspSimulators(StripeSimulatorSettings.inMemory(), AdyenSimulatorSettings.inMemory()
                    .storingStripesTestCards()
                    .webhook(URI.create("http://127.0.0.1:" + webhooks + "/v1/webhooks/adyen"), CardPipeline.ADYEN_HMAC_KEY));
            simulators.start();
            return simulators;
        });
        var meters = lifecycle.start("meters", () -> Meters.of("chargeonce"));
        var charge = CardPipeline.charge(settings, PACE, psps.stripe(), psps.adyen(), CardPipeline.ROUTES, webhooks, vault);
        var ingest = CardPipeline.start(lifecycle, charge, 0, meters);
        URI url = URI.create("http://127.0.0.1:" + ingest.port());
        var client = lifecycle.start("client", () -> new PaymentClient(url, TOKEN, Retries.USUAL));
        return new StartedPipeline(lifecycle, settings, vault, psps, url, client);
    }

    private static void schema(String empty) {
        Migrations.apply(empty, "postgres", "");
        try (var database = Database.open(empty, "postgres", "", 1)) {
            database.<Void>inTransaction(connection -> {
                AgreedSettings.agreeOn(connection, PACE.tiers());
                return null;
            });
        }
    }

    private static void topics(PipelineSettings settings) {
        try (var admin = Admin.create(KafkaConnection.of(settings.kafka(), settings.kafkaProperties()).clientProperties())) {
            new TopicPlan(new Topics(settings.topicPrefix()), settings.tiers().size(), PARTITIONS, Optional.of((short) 1)).create(admin);
        }
    }

    /** Simulator and service must both know the port before anything listens there. */
    private static int freePort() {
        try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vault vault() {
        Path directory = Directories.temporary("testkit");
        try {
            Path file = directory.resolve("data-key");
            DataKeys.add(file);
            String keys = Files.readString(file);
            return Vault.of(() -> keys);
        } catch (IOException e) {
            throw new UncheckedIOException("the data key cannot be made in " + directory, e);
        } finally {
            Directories.remove(directory);
        }
    }

    private StartedPipeline running() {
        return running.orElseThrow(() -> notRunning(ChargeoncePipeline.class));
    }

    /** Sends payments of {@link #MERCHANT}. It is closed with the pipeline. */
    public PaymentClient client() {
        return running().client;
    }

    /** Where payments are taken, for another client: scheme, host and port. Its token is {@link #TOKEN}. */
    public URI url() {
        return running().url;
    }

    public StripeSimulator stripe() {
        return running().psps.stripe();
    }

    public AdyenSimulator adyen() {
        return running().psps.adyen();
    }

    /** What the PSPs' own ledgers have captured for a payment: one line if it was charged once. */
    public List<Movement> capturesOf(String payment) {
        return running().psps.captures().stream().filter(capture -> payment.equals(capture.metadata().get("payment_id"))).toList();
    }

    /**
     * From now on each outcome of {@link #MERCHANT} is sent to this address of this machine.
     *
     * @return the secret that signs the webhooks, as Standard Webhooks has it
     */
    public String sendWebhooksTo(URI receiver) {
        try (var database = database()) {
            var added = new EndpointTable(database, running().vault, new Caller.Person("testkit")).add(MERCHANT, receiver.toString(),
                    List.of(EndpointTable.ALL_EVENTS));
            return added.made().orElseThrow(() -> new IllegalArgumentException(
                    "no webhook can be sent to %s (%s): give an address like http://127.0.0.1:8088/hooks".formatted(receiver,
                            added.change())))
                    .secret();
        }
    }

    /** For a consumer of the outcomes: what Kafka's clients take by that name. The topic is {@link #outcomesTopic}. */
    public String bootstrapServers() {
        return running().settings.kafka();
    }

    public String outcomesTopic() {
        return new Topics(running().settings.topicPrefix()).outcomes();
    }

    /** The pipeline's database, for a look at its rows; the user is in it. */
    public String jdbcUrl() {
        return running().settings.databaseUrl();
    }

    private Database database() {
        return Database.open(jdbcUrl(), "postgres", "", 1);
    }

    /** The same with half a minute for what is under way. */
    public void assertBooksBalance() {
        assertBooksBalance(PATIENCE);
    }

    /**
     * Waits until nothing is under way, and compares the ledgers of both PSPs with the rows, the topics and the webhooks: no payment may be
     * lost, charged twice, charged unasked or charged with another amount. It checks all payments since the pipeline's start.
     *
     * @param most how long payments may be under way
     * @throws AssertionError with what was found, and the history of each payment that it was found about
     */
    public void assertBooksBalance(Duration most) {
        long end = System.nanoTime() + most.toNanos();
        CheckVerdict verdict = verdict();
        while (verdict.kind() == CheckVerdict.Kind.UNKNOWN && System.nanoTime() < end) {
            pause();
            verdict = verdict();
        }
        switch (verdict.kind()) {
            case BALANCED -> {
            }
            case BROKEN -> throw new AssertionError("The books do not balance.\n%s\n\n%s\nWhat is known of them:\n%s".formatted(
                    lines(verdict.violations()), verdict.figures(), verdict.stories(STORIES)));
            case UNKNOWN ->
                throw new AssertionError(("After %d ms there are still %s. A fault that is still set keeps a payment under way: "
                        + "call endFaults() before this check, or give it more time.\n\n%s").formatted(most.toMillis(),
                                verdict.open().orElseThrow(), verdict.figures()));
        }
    }

    private static String lines(List<Violation> violations) {
        return violations.stream().limit(STORIES).map(violation -> "  " + violation).collect(Collectors.joining("\n"));
    }

    private CheckVerdict verdict() {
        PipelineSettings settings = running().settings;
        return Checker.check(CheckEvidence.of(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(),
                settings.kafka(), settings.tiers(), List.of(stripe().apiBase(), adyen().apiBase())).topicPrefix(settings.topicPrefix()));
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while payments were under way", e);
        }
    }

    @Override
    public void endFaults() {
        running.ifPresent(pipeline -> pipeline.psps.endFaults());
    }

    @Override
    public synchronized void close() {
        running.ifPresent(pipeline -> pipeline.lifecycle.close());
        running = Optional.empty();
    }
}
