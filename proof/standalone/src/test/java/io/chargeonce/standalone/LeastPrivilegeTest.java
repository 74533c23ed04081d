// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.app.Migrate;
import io.chargeonce.bank.BankFilesService;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.charge.webhook.UnmatchedNotices;
import io.chargeonce.console.witness.Hop;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.Witness;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.database.Database;
import io.chargeonce.database.Roles;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.notifications.receipt.Letterhead;
import io.chargeonce.notifications.receipt.MailServer;
import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.reconcile.Finding;
import io.chargeonce.reconcile.Reconciliation;
import io.chargeonce.reconcile.StripeSource;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.mail.SandboxMail;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.vault.Vault;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Each service works under a Postgres role of its own, and that role can do nothing else. */
class LeastPrivilegeTest {

    static final List<String> ROLES = Roles.ALL;
    private static final WitnessSettings WITNESS = new WitnessSettings(Optional.empty(), Optional.empty(), Duration.ofMinutes(5),
            Duration.ofMinutes(1), Duration.ofDays(14), Duration.ofMillis(200));
    private static final List<Duration> TIERS = List.of(Duration.ofMillis(200), Duration.ofMillis(300), Duration.ofMillis(400));
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static String url;

    @BeforeAll
    static void migrate() {
        url = TestStack.newDatabase();
        Migrate.schema(pipeline("postgres"));
        Migrate.topics(pipeline("postgres"), 2, Optional.of((short) 1));
        Migrate.roles(pipeline("postgres"), Optional.empty());
        SandboxMerchants.create(pipeline("postgres"));
    }

    @Test
    void payments_succeed_die_and_come_back_with_each_service_under_its_own_role_and_every_metric_of_the_dashboards_exists()
            throws Exception {
        try (var stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
             var mail = SandboxMail.start(0, 0);
             var hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
             var meters = Meters.of("test");
             var ingest = IngestService.start(ingestSettings(), meters);
             var charge = ChargeService.start(chargeSettings("chargeonce_charge", stripe).withOurReceipts(), meters);
             var retry = RetryService.start(chargeSettings("chargeonce_retry", stripe).withOurReceipts(), meters);
             var receipts = ReceiptService.start(new ReceiptSettings(pipeline("chargeonce_receipts"), MailServer.here(
                     hanging.getLocalPort(), Duration.ofSeconds(2)), LETTERHEAD), meters);
             var bankFiles = BankFilesService.start(new BankFilesSettings(pipeline("chargeonce_bank_files"), List.of(SILENT_BANK),
                     Vault.IN_THE_CLEAR, SettlementKeys.NONE, Duration.ofSeconds(1), Optional.empty()), meters);
             var webhooks = WebhookService.start(new WebhookSettings(pipeline("chargeonce_webhooks"), Vault.IN_THE_CLEAR), meters);
             var admin = AdminServer.start(new Address("127.0.0.1", 0), Optional.empty(), meters::scrape).countedBy(meters.registry());
             var witness = Witness.start(WITNESS, new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of()),
                     new Topics(prefix()), "/chargeonce", TIERS, meters.registry())) {
            String good = pay(ingest, "good", "pm_card_visa");
            assertThat(post(ingest, "/v1/payments", "second-click", BODY.formatted("pm_card_visa", "good")).statusCode()).isEqualTo(409);
            String declined = pay(ingest, "declined", "pm_card_visa_chargeDeclined");
            await(good, "succeeded");
            await(declined, "declined");
            assertThat(post(ingest, "/v1/payments/" + good + "/refunds", "refund", "{}").statusCode()).isEqualTo(202);
            await("payment-" + good + "-refund", "succeeded");

            stripe.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM).always());
            String dead = pay(ingest, "dead", "pm_card_visa");
            await(dead, "dead");
            stripe.removeRules();
            for (String look : List.of("list", "summary", "show " + dead, "why " + dead, "merge --all", "runs", "audit --verify",
                    "watch")) {
                assertThat(dlq("chargeonce_dlq_reader", look.split(" ")).exit()).as(look).isZero();
            }
            for (String change : List.of("purge", "merge")) {
                Called refused = dlq("chargeonce_dlq_reader", change, dead, "--yes", "--reason", "r");
                assertThat(refused.exit()).isEqualTo(2);
                assertThat(refused.err()).hasLineCount(1)
                        .startsWith("dlq " + change + ": this role may not do that (ERROR: permission denied")
                        .contains("chargeonce_dlq_operator", "nothing was changed");
            }
            assertThat(state(dead)).isEqualTo("dead");
            assertThat(dlq("chargeonce_dlq_operator", "merge", "--all", "--yes", "--reason", "the PSP is mended").exit()).isZero();
            await(dead, "succeeded");
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(witnessed(witness, good)).endsWith("settled"));
            Awaitility.await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(witnessed(witness, dead)).matches("requests .*retry-3 .*dlq .*settled"));
            // Its board follows the journeys within a second.
            Awaitility.await().atMost(PATIENCE).untilAsserted(
                    () -> assertThat(
                            witness.view().stages().stream().filter(stage -> stage.name().equals("settled")).mapToLong(Stage::in).sum())
                            .isEqualTo(Long.parseLong(text("SELECT count(*) FROM chargeonce.operation_state"))));
            assertThat(witness.view().overdue(1)).isEmpty();
            assertThat(witness.view().stages()).allMatch(stage -> stage.difference() == 0);
            assertThat(dlq("chargeonce_dlq_reader", "runs", "show", text("SELECT run_id FROM chargeonce.dlq_run")).out())
                    .containsPattern("1 .* succeeded");
            Awaitility.await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(text("SELECT count(*) FROM chargeonce.audit_seal")).isNotEqualTo("0"));
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(dlq("chargeonce_dlq_reader", "audit", "--verify")).satisfies(
                    verified -> assertThat(verified.exit()).as(verified.out() + verified.err()).isZero()));
            // All that was charged although the mail server took connections and never said a word.
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(text(
                    "SELECT count(*) FROM chargeonce.receipt WHERE state = 'waiting' AND last_error = 'timed_out'")).isEqualTo("3"));
            receipts.close();
            text("UPDATE chargeonce.receipt SET due_at = now() RETURNING 1");
            try (var mending = ReceiptService.start(new ReceiptSettings(pipeline("chargeonce_receipts"), MailServer.here(mail.port(),
                    Duration.ofSeconds(20)), LETTERHEAD), Meters.of("test"))) {
                Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(mail.lettersTo("jane@example.com")).hasSize(3));
            }
            assertThat(dlq("chargeonce_dlq_reader", "why", good).out()).contains("receipt of the charge sent",
                    "receipt of the refund sent");
            // A hold has metrics only while there is one. No loop has a ninth tier here.
            Called paused = dlq("chargeonce_dlq_operator", "pause", "tier", "9", "--yes", "--reason", "r");
            assertThat(paused.exit()).as(paused.err()).isZero();
            reconcile(stripe);
            consoleThatIsAsked(witness, meters);
            Awaitility.await().atMost(PATIENCE).untilAsserted(
                    () -> assertThat(Monitoring.metrics()).isSubsetOf(Monitoring.exported(meters.scrape())));
            var described = Monitoring.described();
            assertThat(described).as("described in docs/operate/watch.md").containsAll(Monitoring.ours(meters.scrape()));
            described.removeAll(Monitoring.ONLY_WHEN_IT_HAPPENS);
            Awaitility.await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(Monitoring.ours(meters.scrape())).containsAll(described));
        }
    }

    /** With nothing but the reconciler's rights. What was compared has metrics only after a comparison. */
    private static void reconcile(StripeSimulator stripe) {
        var settings = pipeline("chargeonce_reconciler");
        Instant to = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        var listed = new StripeSource(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(), Duration.ofSeconds(20)),
                to.minus(1, ChronoUnit.DAYS), to);
        try (var database = Database.openForCommand(settings.databaseUrl(), settings.databaseUser(), "")) {
            Reconciliation.Result result = new Reconciliation(database, SettlementKeys.NONE).run(new Reconciliation.Request("stripe",
                    Optional.of(listed), Optional.of(to.minus(1, ChronoUnit.HOURS)), Optional.of(to), Duration.ZERO, true, 10));
            assertThat(result.totals().items(Finding.AGREES)).isEqualTo(result.recorded()).isPositive();
        }
    }

    private static String witnessed(Witness witness, String payment) {
        return witness.view().journey(payment).stream().filter(hop -> hop.step().startsWith("charge/")).map(Hop::stage)
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @FieldSource("ROLES")
    void no_role_can_touch_the_index_that_refuses_a_second_charge(String role) {
        refused(role, "DROP INDEX one_open_attempt");
        refused(role, "ALTER TABLE payment_attempt ADD COLUMN x int");
        refused(role, "ALTER TABLE operation DISABLE TRIGGER ALL");
        refused(role, "CREATE TABLE mine (x int)");
        refused(role, "TRUNCATE payment_attempt");
        refused(role, "DELETE FROM payment_attempt");
        refused(role, "DELETE FROM operation");
        refused(role, "DELETE FROM operation_state");
        refused(role, "UPDATE operation SET amount = 999900, merchant_id = 'globex'");
        refused(role, "UPDATE operation SET operation_ref = 'again'");
        refused(role, "SET ROLE postgres");
    }

    @ParameterizedTest
    @FieldSource("ROLES")
    void what_was_observed_and_audited_is_never_changed(String role) {
        for (String table : List.of("psp_observation", "audit_record", "audit_seal")) {
            refused(role, "DELETE FROM " + table);
            refused(role, "TRUNCATE " + table);
        }
        refused(role, "UPDATE psp_observation SET outcome = 'charged'");
        refused(role, "UPDATE audit_record SET actor = 'none'");
        refused(role, "UPDATE audit_seal SET mark = sha256('x')");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "chargeonce_ingest         | SELECT FROM payment_attempt",
        "chargeonce_ingest         | SELECT FROM psp_notice",
        "chargeonce_charge         | SELECT lock_payment('pay_x')",
        "chargeonce_charge         | SELECT cancel_payment('acme', 'pay_x')",
        "chargeonce_retry          | SELECT cancel_by_a_person('pay_x')",
        "chargeonce_ingest         | SELECT cancel_charge('pay_x')",
        "chargeonce_ingest         | SELECT cancel_by_a_person('pay_x')",
        "chargeonce_retry          | DELETE FROM psp_notice",
        "chargeonce_ingest         | DELETE FROM capture_failure",
        "chargeonce_retry          | SELECT FROM capture_failure",
        "chargeonce_ingest         | SELECT FROM dispute",
        "chargeonce_retry          | UPDATE dispute SET funds = 'returned'",
        "chargeonce_charge         | DELETE FROM dispute",
        "chargeonce_dlq_operator   | UPDATE dispute SET stage = 'won'",
        "chargeonce_ingest         | UPDATE operation_state SET state = 'succeeded'",
        "chargeonce_ingest         | UPDATE idempotency_key SET fingerprint = '\\x00'",
        "chargeonce_ingest         | DELETE FROM idempotency_key",
        "chargeonce_ingest         | INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('x'), 'acme')",
        "chargeonce_ingest         | SELECT FROM audit_record",
        "chargeonce_ingest         | INSERT INTO audit_record (actor, action, resource_type, resource_id) VALUES ('a', 'b', 'c', 'd')",
        "chargeonce_charge         | INSERT INTO audit_record (actor, action, resource_type, resource_id) VALUES ('a', 'b', 'c', 'd')",
        "chargeonce_retry          | INSERT INTO audit_seal SELECT * FROM audit_seal",
        "chargeonce_dlq_operator   | INSERT INTO audit_seal SELECT * FROM audit_seal",
        "chargeonce_dlq_reader     | SELECT append_audit(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        "chargeonce_charge         | SELECT FROM merchant_token",
        "chargeonce_charge         | SELECT FROM idempotency_key",
        "chargeonce_charge         | DELETE FROM dead_letter",
        "chargeonce_charge         | SELECT forget_settled_payments(1)",
        "chargeonce_ingest         | UPDATE agreed SET retention_days = 45",
        "chargeonce_retry          | UPDATE agreed SET tiers = '{1000}'",
        "chargeonce_dlq_operator   | SELECT forget_dead_letter_runs(1)",
        "chargeonce_retry          | SELECT FROM merchant_token",
        "chargeonce_retry          | DELETE FROM dead_letter",
        "chargeonce_dlq_reader     | UPDATE dead_letter SET state = 'purged'",
        "chargeonce_dlq_reader     | INSERT INTO audit_record (actor, action, resource_type, resource_id) VALUES ('a', 'b', 'c', 'd')",
        "chargeonce_dlq_operator   | INSERT INTO operation SELECT * FROM operation",
        "chargeonce_dlq_operator   | SELECT erase_personal_data('acme', '{}', 'a', 'r', 'r', true)",
        "chargeonce_ingest         | SELECT erase_personal_data('acme', '{}', 'a', 'r', 'r', true)",
        "chargeonce_charge         | SELECT erase_personal_data('acme', '{}', 'a', 'r', 'r', true)",
        "chargeonce_dlq_unmask     | UPDATE dead_letter SET sealed_edit = 'x'",
        "chargeonce_dlq_unmask     | UPDATE operation_state SET state = 'purged'",
        "chargeonce_eraser         | SELECT FROM operation",
        "chargeonce_eraser         | SELECT FROM dead_letter",
        "chargeonce_eraser         | SELECT forget_dead_letter_runs(1)",
        "chargeonce_eraser         | UPDATE operation SET customer = 'x'",
        "chargeonce_dlq_operator   | UPDATE payment_attempt SET failed_definite = true",
        "chargeonce_dlq_operator   | DELETE FROM outbox",
        "chargeonce_dlq_operator   | INSERT INTO psp_observation (psp_key, source, outcome) VALUES ('k', 'hand', 'charged')",
        "chargeonce_dlq_operator   | UPDATE hand_settlement SET psp_key = 'another'",
        "chargeonce_dlq_operator   | DELETE FROM hand_settlement",
        "chargeonce_dlq_operator   | DELETE FROM unmatched_notice",
        "chargeonce_dlq_reader     | SELECT put_hold('tier', '1', 'pause', 'r', NULL, 'run', NULL)",
        "chargeonce_dlq_reader     | SELECT clear_refusals('{1}', 'drop', 'r', 'run', NULL)",
        "chargeonce_ingest         | SELECT clear_refusals('{1}', 'drop', 'r', 'run', NULL)",
        "chargeonce_dlq_reader     | SELECT lift_hold('tier', '1', 'r', 'run', NULL)",
        "chargeonce_charge         | SELECT lift_hold('tier', '1', 'r', 'run', NULL)",
        "chargeonce_retry          | DELETE FROM hold",
        "chargeonce_ingest         | SELECT FROM hold",
        "chargeonce_dlq_reader     | INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run) "
                + "VALUES ('k', 'o', 1, 'not_charged', 'e', 'p', 'r')",
        "chargeonce_charge         | INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run) "
                + "VALUES ('k', 'o', 1, 'not_charged', 'e', 'p', 'r')",
        "chargeonce_charge         | DELETE FROM hand_settlement",
        "chargeonce_retry          | INSERT INTO unmatched_notice (psp, notice_id, psp_key) VALUES ('p', 'n', 'k')",
        "chargeonce_ingest         | SELECT FROM hand_settlement",
        "chargeonce_ingest         | SELECT FROM unmatched_notice",
        "chargeonce_dlq_operator   | SELECT FROM merchant_token",
        "chargeonce_merchant_admin | SELECT FROM operation",
        "chargeonce_merchant_admin | DELETE FROM merchant"})
    void what_a_role_does_not_need_is_refused(String role, String statement) {
        refused(role, statement);
    }

    @Test
    void the_operator_settles_by_hand_what_the_resolver_then_executes_under_its_own_role() throws Exception {
        execute("postgres", UNRESOLVED);
        for (String role : List.of("chargeonce_dlq_reader", "chargeonce_dlq_operator")) {
            assertThat(dlq(role, "settle", BY_HAND, "--not-charged", "--evidence", "ticket 4711").exit()).as(role).isZero();
        }
        String[] settle = {"settle", BY_HAND, "--not-charged", "--evidence", "ticket 4711", "--yes", "--wait", "1s"};
        assertThat(dlq("chargeonce_dlq_reader", settle).exit()).isEqualTo(2);
        Called written = dlq("chargeonce_dlq_operator", settle);
        assertThat(written.exit()).as("recorded, and not settled before charge runs: " + written.err()).isOne();
        try (var stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
             var meters = Meters.of("test");
             var charge = ChargeService.start(chargeSettings("chargeonce_charge", stripe), meters)) {
            await(BY_HAND, "dead");
            assertThat(text("SELECT state FROM chargeonce.hand_settlement")).isIn("settled", "confirmed");
        }
    }

    private static final String BY_HAND = "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa";
    /** The attempt is older than its key's life and than the time that Stripe's search lags behind. */
    private static final String UNRESOLVED = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('pay_by_hand', 'pay_by_hand', 'charge', 'acme', 'by-hand', 1299, 'EUR', 'pm_card_visa', 0);
            SET session_replication_role = replica;
            UPDATE operation_state SET state = 'unresolved', step = 2, sequence = 1, psp = 'stripe', resolve_at = now() + interval '1 day',
                   unresolved_since = now() - interval '1 day'
             WHERE operation_id = 'pay_by_hand';
            RESET session_replication_role;
            SELECT list_what_was_missed('0', 1000);
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request, \
            request_sha256,
                                         sent_at, key_valid_until)
            VALUES ('%s', 'pay_by_hand', 'pay_by_hand', 'charge', 1, 1, 'stripe', 'unknown', 'x', sha256('x'),
                    now() - interval '3 days', now() - interval '2 days');
            INSERT INTO psp_observation (psp_key, source, outcome, cause) VALUES ('%1$s', 'query', 'unknown', 'not_found');
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message, \
            generation)
            VALUES ('pay_by_hand', 'pay_by_hand', 'pay_by_hand', 'acme', 1299, 'EUR', 'stripe', 'dead', 'unresolved', 'not_found', 1)
            """.formatted(PspKey.derive(new PaymentId(BY_HAND), "charge", "", "stripe", 1)).replace("pay_by_hand", BY_HAND);

    @Test
    void the_charge_role_can_keep_a_message_for_an_older_one_that_matches_nothing() throws SQLException {
        execute("postgres", "INSERT INTO unmatched_notice (psp, notice_id, psp_key) SELECT 'full', n, n FROM generate_series(1, %d) AS n"
                .formatted(UnmatchedNotices.MOST));
        try (Connection connection = DriverManager.getConnection(as("chargeonce_charge"))) {
            connection.setSchema("chargeonce");
            var message = new Notice("new", new PspKey("a".repeat(26)), Optional.empty(), Optional.empty());
            assertThat(UnmatchedNotices.keep(connection, "full", message)).isInstanceOfSatisfying(UnmatchedNotices.New.class,
                    kept -> assertThat(kept.instead()).isPresent());
        } finally {
            execute("postgres", "DELETE FROM unmatched_notice WHERE psp = 'full'");
        }
    }

    @Test
    void granting_again_takes_back_what_was_added_by_hand() throws SQLException {
        execute("postgres", "GRANT DELETE ON chargeonce.payment_attempt TO chargeonce_retry");
        Migrate.roles(pipeline("postgres"), Optional.empty());
        refused("chargeonce_retry", "DELETE FROM payment_attempt");
    }

    private static void refused(String role, String statement) {
        assertThatThrownBy(() -> execute(role, statement)).as("%s: %s", role, statement)
                .isInstanceOf(SQLException.class).extracting(e -> ((SQLException) e).getSQLState()).isEqualTo("42501");
    }

    private static void execute(String role, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(as(role)); var statement = connection.createStatement()) {
            statement.execute("SET search_path = chargeonce");
            statement.execute(sql);
        }
    }

    private record Called(int exit, String out, String err) {}

    private static Called dlq(String role, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = new DlqCommand(() -> new DeadLetterQueue(Database.openForCommand(as(role), role, ""), new Topics(prefix())),
                () -> KafkaConnection.of(TestStack.kafka().bootstrapServers(), Optional.empty()))
                .commandLine(arguments).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(arguments);
        return new Called(exit, out.toString(), err.toString());
    }

    private static void await(String payment, String state) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(state(payment)).isEqualTo(state));
    }

    private static String state(String payment) throws SQLException {
        return text("SELECT state FROM chargeonce.operation_now WHERE operation_id = '" + payment + "'");
    }

    private static String text(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url); var statement = connection.createStatement();
             var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Its port is closed. */
    private static final BankAccount SILENT_BANK = new BankAccount("bank", "CO",
            new Creditor("A shop", "DE02120300000000202051", "BYLADEM1001", "DE98ZZZ09999999999"),
            new SftpPlace("127.0.0.1", 1, "shop", Optional.of(Path.of("password")), Optional.empty(), Path.of("known_hosts"), "/out", "/in",
                    Duration.ofSeconds(2)),
            new Windows(ZoneOffset.UTC, List.of(), Set.of(), 1, Duration.ZERO, Optional.of(Duration.ofSeconds(1))), Duration.ofHours(1), 5);
    private static final Letterhead LETTERHEAD =
            new Letterhead("receipts@shop.example", Optional.empty(), Locale.ENGLISH, ZoneOffset.UTC);
    private static final String BODY = "{\"amount\": 1299, \"currency\": \"EUR\", \"payment_method\": \"%s\", \"reference\": \"%s\", "
            + "\"receipt_email\": \"jane@example.com\"}";

    private static String pay(IngestService ingest, String key, String method) throws Exception {
        HttpResponse<String> answer = post(ingest, "/v1/payments", key, BODY.formatted(method, key));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return answer.body().replaceAll("(?s).*\"id\"\\s*:\\s*\"([^\"]+)\".*", "$1");
    }

    private static HttpResponse<String> post(IngestService ingest, String path, String key, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ingest.port() + path))
                .header("Authorization", "Bearer " + SandboxMerchants.ACME_TOKEN)
                .header("Idempotency-Key", key).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        try (var http = HttpClient.newHttpClient()) {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    private static IngestSettings ingestSettings() {
        return new IngestSettings(pipeline("chargeonce_ingest"), new Address("127.0.0.1", 0), 16, Duration.ofHours(24),
                Optional.empty());
    }

    private static ChargeSettings chargeSettings(String role, StripeSimulator stripe) {
        // Our own receipts are mailed, so Stripe gets no address.
        return new ChargeSettings(pipeline(role), List.of(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(),
                Duration.ofSeconds(2), Optional.empty(), false)), 100, Duration.ofSeconds(12), Duration.ofSeconds(1),
                List.of(Duration.ofMillis(300)),
                Duration.ofSeconds(5),
                Optional.empty(), ChargeSettings.Pace.USUAL);
    }

    /** Its meters stay when it is closed. */
    private static void consoleThatIsAsked(Witness witness, Meters meters) throws Exception {
        try (var console = ConsoleService.start(new ConsoleSettings(pipeline("nobody"), new Address("127.0.0.1", 0), Optional.empty(),
                Vault.WITHOUT_KEY, Sessions.Lifetime.USUAL, WITNESS), witness.view(), meters);
             var http = HttpClient.newHttpClient()) {
            var page = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + console.port())).build();
            assertThat(http.send(page, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(200);
        }
    }

    private static PipelineSettings pipeline(String role) {
        return new PipelineSettings(as(role), role, "", TestStack.kafka().bootstrapServers(), Optional.empty(), prefix(), TIERS,
                Optional.empty());
    }

    private static String prefix() {
        return "least-privilege";
    }

    private static String as(String role) {
        return url.replace("user=postgres", "user=" + role);
    }
}
