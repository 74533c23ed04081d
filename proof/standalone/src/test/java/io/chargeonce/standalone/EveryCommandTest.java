// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.bank.terminal.BankCommand;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.database.Database;
import io.chargeonce.database.People;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.ingest.terminal.MerchantCommand;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.load.LoadCommand;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.notifications.receipt.terminal.ReceiptCommand;
import io.chargeonce.reconcile.terminal.ReconcileCommand;
import io.chargeonce.reconcile.terminal.ReconcileSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.Topics;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Each command that people may give, on a pipeline that runs. None of them may make the books look broken. */
@Tag("proof")
class EveryCommandTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int OK = 0;
    /** The answer is no, and nothing was changed. */
    private static final int NO = 1;
    private static final Pattern RUN = Pattern.compile("run_[0-9a-z]+");

    @TempDir
    private Path directory;
    private final Played played = new Played();
    private LocalPipeline pipeline;
    private PipelineSettings settings;
    private DemoReceiver receiver;
    private PaymentClient acme;
    private int others;

    @BeforeEach
    void start() {
        pipeline = LocalPipeline.start(Optional.empty(), Ports.free(), CardPipeline.Pace.brisk());
        settings = pipeline.settings;
        receiver = new DemoReceiver();
        acme = new PaymentClient(URI.create("http://127.0.0.1:" + pipeline.ingestPort), SandboxMerchants.ACME_TOKEN, Retries.USUAL);
        for (String role : List.of("chargeonce_dlq_unmask", "chargeonce_eraser")) {
            People.add(settings.databaseUrl(), settings.databaseUser(), "", "operator", role, Optional.empty());
        }
    }

    @AfterEach
    void stop() {
        acme.close();
        pipeline.close();
        receiver.close();
    }

    private Database open(String login) {
        return Database.open(settings.databaseUrl().replace("user=postgres", "user=" + login), login,
                login.equals("postgres") ? "" : "test_" + login, 2);
    }

    private Supplier<CommandLine> dlq(String login) {
        return () -> new DlqCommand(() -> new DeadLetterQueue(open(login), new Topics("payments"), pipeline.vault),
                () -> KafkaConnection.of(settings.kafka(), Optional.empty())).commandLine();
    }

    private String dlq(int exit, String... arguments) {
        return played.play(exit, dlq("operator"), arguments);
    }

    private String merchant(String... arguments) {
        return played.play(OK, () -> new MerchantCommand(() -> open("postgres")).commandLine(), arguments);
    }

    private String webhook(String... arguments) {
        return played.play(OK, () -> new WebhookCommand(() -> new WebhookCommand.Opened(open("postgres"),
                new EndpointSettings(pipeline.vault, Set.of("localhost")))).commandLine(), arguments);
    }

    private String receipt(int exit, String... arguments) {
        return played.play(exit, () -> new ReceiptCommand(() -> open("postgres")).commandLine(), arguments);
    }

    private String bank(int exit, String... arguments) {
        var stripe = new StripeSettings("sk_test_sandbox", pipeline.foundations.stripe().apiBase().toString(), Duration.ofSeconds(20));
        var reconcile = new ReconcileSettings(settings.databaseUrl(), "postgres", () -> "", SettlementKeys.NONE, List.of(stripe));
        return played.play(exit, () -> new BankCommand(() -> new BankCommand.Opened(open("postgres"), pipeline.vault)).commandLine()
                .addSubcommand(new ReconcileCommand(() -> reconcile, InstantSource.system())), arguments);
    }

    private String send(String key, String method) throws InterruptedException {
        var asked = NewPayment.of(key, 1_299, "EUR", method).withReference(key).withReceiptEmail("jane@example.com");
        asked = method.startsWith("mandate_") ? asked.throughBankDebit() : asked;
        return acme.send(asked) instanceof Sent.Accepted accepted ? accepted.paymentId() : "none";
    }

    /** Of a brand that Stripe alone takes. Others succeed there meanwhile, else it would be an outage, in which payments wait. */
    private String sendToFail(String key, Fault fault) throws InterruptedException {
        pipeline.foundations.stripe().inject(FaultRule.once(fault).on(StripeOperation.CONFIRM).forMetadata("reference", key).always());
        return send(key, "pm_card_amex");
    }

    private void awaitState(String id, String state) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
            send("beside-" + others++, "pm_card_amex");
            return ask("SELECT CASE WHEN tier = 3 AND state IN ('scheduled', 'parked') THEN 'in tier 3' ELSE state END "
                    + "FROM operation_state WHERE operation_id = '" + id + "'").equals(state);
        });
    }

    private String ask(String sql) {
        try (Database database = open("postgres")) {
            return database.withConnection(connection -> {
                try (var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
                    return row.next() ? String.valueOf(row.getString(1)) : "nothing";
                }
            });
        }
    }

    private static String first(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group()).findFirst().orElseThrow(() -> new AssertionError(text));
    }

    @Test
    void the_books_balance_after_every_command_that_people_may_give() throws Exception {
        merchants();
        webhooks();
        String paid = send("paid", "pm_card_visa");
        awaitState(paid, "succeeded");
        queue(paid);
        merges();
        waits();
        poison(paid);
        looks(paid);
        erased(paid);
        banks();
        assertThat(played.missing()).as("play these too").isEmpty();
        balance();
    }

    private void merchants() {
        merchant("add", "shop", "--receipt-name", "Shop");
        merchant("set", "shop", "--requests-per-second", "50");
        merchant("list");
        merchant("token", "new", "shop");
        String token = PaymentJson.MAPPER.readTree(merchant("token", "list", "--json").lines()
                .filter(line -> line.contains("\"shop\"")).findFirst().orElseThrow()).path("token").asString();
        merchant("token", "rotate", token, "--overlap", "1h");
        merchant("token", "revoke", token);
    }

    private void webhooks() throws InterruptedException {
        var made = PaymentJson.MAPPER.readTree(webhook("add", "--merchant", "acme", "--url", receiver.url(), "--json"));
        String endpoint = made.path("id").asString();
        receiver.believes(made.path("secret").asString());
        webhook("test", endpoint);
        webhook("list");
        String paid = send("told", "pm_card_visa");
        Awaitility.await().atMost(PATIENCE)
                .until(() -> ask("SELECT state FROM webhook_delivery WHERE payment_id = '" + paid + "'").equals("delivered"));
        webhook("deliveries", "--payment", paid);
        webhook("redeliver", ask("SELECT webhook_id FROM webhook_delivery WHERE payment_id = '" + paid + "'"));
        webhook("disable", endpoint);
        send("untold", "pm_card_visa");
        webhook("enable", endpoint);
        var other = PaymentJson.MAPPER.readTree(webhook("add", "--merchant", "acme", "--url", receiver.url(), "--json"));
        webhook("rotate", other.path("id").asString(), "--overlap", "1h");
        webhook("remove", other.path("id").asString(), "--yes");
    }

    private void queue(String paid) throws InterruptedException {
        receipt(OK, "list", "--payment", paid);
        receipt(NO, "resend", paid, "--yes");
        String purged = sendToFail("purged", new Fault.FailBefore());
        awaitState(purged, "dead");
        dlq(OK, "purge", "--resume", first(RUN, dlq(OK, "purge", purged, "--reason", "a test", "--rate", "5", "--plan")));
        dlq(OK, "restore", purged, "--reason", "a mistake", "--yes");
        dlq(OK, "purge", purged, "--reason", "a test all the same", "--yes");
        dlq(OK, "cancel", purged, "--reason", "the order is cancelled", "--yes");
        // What the PSP answers to the status query outranks the person who says that it was charged.
        pipeline.foundations.stripe().inject(FaultRule.once(new Fault.Refused(404)).on(StripeOperation.RETRIEVE)
                .forMetadata("reference", "unknown").always());
        String unknown = sendToFail("unknown", new Fault.AnswerLost());
        Awaitility.await().atMost(PATIENCE)
                .until(() -> ask("SELECT count(*) FROM dead_letter WHERE cause = 'unresolved'").equals("1"));
        dlq(NO, "settle", unknown, "--charged", ask("SELECT psp_reference FROM payment_attempt WHERE operation_id = '" + unknown + "'"),
                "--evidence", "the PSP's own page", "--yes");
        pipeline.foundations.stripe().removeRules();
    }

    private void merges() throws InterruptedException {
        List<String> dead = List.of(sendToFail("dead-1", new Fault.FailBefore()), sendToFail("dead-2", new Fault.FailBefore()),
                sendToFail("dead-3", new Fault.FailBefore()));
        dead.forEach(id -> awaitState(id, "dead"));
        pipeline.foundations.stripe().removeRules();
        String planned = first(RUN, dlq(OK, "merge", dead.get(0), "--plan"));
        dlq(OK, "runs", "rate", planned, "5");
        dlq(NO, "runs", "stop", planned);
        dlq(OK, "merge", "--cancel", planned);
        People.limit(settings.databaseUrl(), settings.databaseUser(), "", Map.of("*", 1L));
        String proposed = first(RUN, dlq(NO, "merge", "--all", "--canary", "0", "--reason", "it is mended", "--yes"));
        played.play(OK, dlq("approver"), "approve", proposed, "--yes");
        dlq(OK, "merge", "--resume", proposed);
        People.limit(settings.databaseUrl(), settings.databaseUser(), "", Map.of());
        dead.forEach(id -> awaitState(id, "succeeded"));
        dlq(OK, "runs");
        dlq(OK, "runs", "show", proposed);
    }

    private void waits() throws InterruptedException {
        dlq(OK, "pause", "tier", "3", "--reason", "a look", "--yes");
        dlq(OK, "force", "psp", "stripe", "--until", "1m", "--reason", "it is well", "--yes");
        dlq(OK, "holds");
        String now = sendToFail("now", new Fault.FailBefore());
        String stopped = sendToFail("stopped", new Fault.FailBefore());
        awaitState(now, "in tier 3");
        awaitState(stopped, "in tier 3");
        pipeline.foundations.stripe().removeRules();
        dlq(OK, "waiting");
        dlq(OK, "waiting", "--key", "now", "--now", "--yes");
        dlq(OK, "waiting", "--key", "stopped", "--stop", "--reason", "cancelled", "--yes");
        awaitState(now, "succeeded");
        dlq(OK, "resume", "tier", "3", "--reason", "looked", "--yes");
        dlq(OK, "resume", "psp", "stripe", "--reason", "looked", "--yes");
    }

    /** A record that only lacks its last brace. Its payment was charged long ago. */
    private void poison(String paid) {
        String record;
        try (Database database = open("postgres")) {
            record = database.withConnection(connection -> new String(PaymentJson.write(
                    Staging.record(OperationTable.find(connection, paid).orElseThrow())), StandardCharsets.UTF_8));
        }
        String first = record.replaceFirst("\"step\":\\d+", "\"step\":1");
        try (var direct = new ProducerSettings(KafkaConnection.of(settings.kafka(), Optional.empty()), "poison").newProducer()) {
            direct.send(new ProducerRecord<>("payments.requests", paid.getBytes(StandardCharsets.UTF_8),
                    first.substring(0, first.length() - 1).getBytes(StandardCharsets.UTF_8)));
        }
        Awaitility.await().atMost(PATIENCE).until(() -> ask(POISON).startsWith("psn_"));
        String poison = ask(POISON);
        dlq(OK, "edit", poison, "--reason", "a brace was missing", "--editor", "printf } >>");
        dlq(OK, "export", directory.resolve("dead.ndjson").toString(), "--unmasked", "--reason", "a copy");
        dlq(OK, "merge", poison, "--reason", "mended", "--yes");
        dlq(OK, "import", directory.resolve("dead.ndjson").toString(), "--reason", "a copy");
    }

    private static final String POISON = "SELECT dead_letter_id FROM dead_letter WHERE operation_id IS NULL AND state = 'dead'";

    private void looks(String paid) {
        dlq(OK, "list");
        dlq(OK, "summary");
        dlq(NO, "show", paid);
        dlq(OK, "why", paid);
        dlq(OK, "audit");
        dlq(OK, "refused");
        dlq(OK, "watch", "--json", "--metrics", "127.0.0.1:" + pipeline.adminPort);
        dlq(OK, "completion");
        dlq(OK, "verify", "--repair", "--reason", "a look");
    }

    private void erased(String paid) {
        dlq(OK, "erase", "acme", paid, "--reason", "request 4711", "--yes");
    }

    private void banks() throws Exception {
        Path debtor = Files.writeString(directory.resolve("debtor"), "name=Jane Doe\niban=DE02120300000000202051\nbic=BYLADEM1001\n");
        bank(OK, "mandate", "add", "mandate_jane", "--merchant", "acme", "--signed", "2026-01-02", "--debtor-file", debtor.toString());
        String debit = send("debit", "mandate_jane");
        awaitState(debit, "succeeded");
        bank(OK, "mandate", "list");
        bank(OK, "batches");
        String batch = ask("SELECT batch_id FROM bank_batch LIMIT 1");
        bank(OK, "show", batch);
        bank(NO, "resend", batch, "--same-bytes", "--reason", "the bank has answered it");
        bank(OK, "unmatched");
        bank(NO, "close", "line", "1", "--reason", "it matches");
        bank(NO, "release", "file", "1", "--reason", "it was read");
        bank(OK, "mandate", "revoke", "mandate_jane", "--reason", "she said so");
        bank(OK, "reconcile", "--psp", "stripe", "--fetch", "--from", Instant.now().minus(Duration.ofHours(1)).toString(),
                "--to", Instant.now().plusSeconds(1).toString(), "--apply");
    }

    private void balance() {
        Awaitility.await().atMost(PATIENCE).until(() -> ask("SELECT (SELECT count(*) FROM operation_state WHERE state IN "
                + "('accepted', 'processing', 'scheduled', 'parked', 'unresolved')) + (SELECT count(*) FROM outbox)").equals("0"));
        // A later delivery tells that those of all earlier ends must be there.
        try (Database database = open("postgres")) {
            database.inTransaction(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute("SET LOCAL session_replication_role = replica");
                    return statement.executeUpdate("UPDATE webhook_delivery SET created_at = now() + interval '1 hour' WHERE webhook_id = "
                            + "(SELECT max(webhook_id) FROM webhook_delivery WHERE payment_id IS NOT NULL)");
                }
            });
        }
        new Played().play(OK, () -> new CommandLine(new LoadCommand()), "check", "--database", settings.databaseUrl(),
                "--kafka", settings.kafka(), "--service", "http://127.0.0.1:" + pipeline.adminPort, "--receipts");
    }
}
