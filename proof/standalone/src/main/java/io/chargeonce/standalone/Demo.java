// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.Launcher;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.terminal.page.ChangeReport;
import io.chargeonce.dlq.terminal.page.SummaryTable;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.sandbox.mail.Letter;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.terminal.Screen;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What {@code chargeonce demo} shows, chapter by chapter, on a pipeline of its own. Everything in it is real but the money. */
final class Demo implements AutoCloseable {

    private static final String OURS = Launcher.command() + " ";
    private static final Duration OUTAGE = Duration.ofSeconds(3);
    /** Its heading and its facts. */
    private static final int RECEIPT_LINES = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> POISON = List.of("this is no JSON", "{\"type\":\"payment.request\",\"version\":99}",
            "{\"type\":\"invoice.created\"}", "\u0000\u0001\u0002", "");

    private final DemoPlan plan;
    private final PrintWriter out;
    final LocalPipeline pipeline;
    private final Database database;
    private final DeadLetterQueue queue;
    private final DemoProducer producer;
    private final DemoReceiver receiver;
    private final StageBoard board;

    Demo(DemoPlan plan, PrintWriter out, boolean live) {
        this.plan = plan;
        this.out = out;
        long start = System.nanoTime();
        out.println("""
                Chargeonce: every accepted payment is charged exactly once, and none is lost.
                A PSP is a payment service provider, such as Stripe: it moves the money.
                A line with a $ is what you would type to do the same while 'up' runs.

                Starting Kafka, Postgres, both PSP simulators, a bank and all services …""");
        this.pipeline = LocalPipeline.start(Optional.empty(), Ports.free(), CardPipeline.Pace.brisk());
        out.printf("""
                Up after %.1f s: a real Kafka broker, a real Postgres (fsync=on,
                synchronous_commit=on), simulators of Stripe, Adyen and a bank, all services.
                Watch it in a browser: http://127.0.0.1:%d
                and sign in with %s
                """, (System.nanoTime() - start) / 1e9, pipeline.consolePort, LocalPeople.OPERATOR.token());
        var settings = pipeline.settings;
        this.database = Database.open(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), 4);
        this.queue = new DeadLetterQueue(database, new Topics(settings.topicPrefix()), pipeline.vault);
        this.producer = new DemoProducer(pipeline.ingestPort);
        this.receiver = new DemoReceiver();
        var endpoint = new EndpointTable(database, pipeline.vault, new Caller.Person("demo")).add("acme", receiver.url(), List.of("*"));
        receiver.believes(endpoint.made().orElseThrow().secret());
        this.board = new StageBoard(database, out, live);
    }

    CheckVerdict run() {
        scriptFaults();
        sendThroughAnOutage();
        sendPoison();
        watchTheTiers();
        showDeadLetters();
        merge();
        purge();
        refund();
        debit();
        showReceipt();
        showWebhook();
        reconcile();
        return checkTheBooks();
    }

    private void scriptFaults() {
        for (DemoPlan.Payment payment : plan.payments()) {
            switch (payment.scenario()) {
                case CHARGED, DECLINED -> {
                }
                case FAILS_ONCE -> inject(payment, FaultRule.once(new Fault.FailBefore()));
                case FAILS_TWICE -> inject(payment, FaultRule.once(new Fault.FailBefore()).times(2));
                case FAILS_ALWAYS -> inject(payment, FaultRule.once(new Fault.FailBefore()).always());
                case ANSWER_LOST -> inject(payment, FaultRule.once(new Fault.AnswerLost()));
            }
        }
    }

    private void inject(DemoPlan.Payment payment, FaultRule rule) {
        pipeline.foundations.stripe().inject(rule.on(StripeOperation.CONFIRM).forMetadata("reference", payment.key()));
    }

    private void sendThroughAnOutage() {
        chapter("Two shops send %,d payments over HTTP, each under its idempotency key".formatted(plan.payments().size()));
        command("curl http://127.0.0.1:8080/v1/payments \\", "-H 'Authorization: Bearer test_acme' \\",
                "-H 'Idempotency-Key: order-1' -H 'Content-Type: application/json' \\",
                "-d '{\"amount\":1299,\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\"}'");
        Arrays.stream(DemoPlan.Scenario.values()).forEach(scenario -> out.printf("   %4d %s%n", plan.count(scenario), scenario.words));
        List<DemoPlan.Payment> rush = plan.rush();
        int half = rush.size() / 2;
        producer.send(rush.subList(0, half));
        board.watchUntil(stages -> stages.getOrDefault("succeeded", 0L) > half / 2, PATIENCE);

        board.showShares();
        chapter("Stripe refuses every connection for %d seconds; the shops go on selling".formatted(OUTAGE.toSeconds()));
        command("curl http://127.0.0.1:8090/_sandbox/outage -d '{\"for_ms\": %d}'".formatted(OUTAGE.toMillis()));
        pipeline.foundations.stripe().refuseConnections();
        long end = System.nanoTime() + OUTAGE.toNanos();
        producer.send(rush.subList(half, rush.size()));
        board.watchUntil(stages -> System.nanoTime() > end, PATIENCE);
        pipeline.foundations.stripe().acceptConnections();
        board.showShares();
        out.println("""
                   Stripe is back. Meanwhile new payments went to Adyen. Payments that only
                   Stripe takes were parked: they wait for Stripe, which costs no attempt.
                   A payment that Stripe may have charged is unknown until Stripe was asked,
                   and never sent to Adyen.""".indent(3).stripTrailing());

        long repeats = producer.answers().stream().filter(DemoProducer.Accepted::replayed).count();
        out.printf("   %,d requests came twice under one key: they got the same answer again,%n"
                + "   and there is no second payment.%n", repeats);
    }

    /** Straight onto the main topic, past the service that would have refused it. */
    private void sendPoison() {
        var kafka = KafkaConnection.of(pipeline.settings.kafka(), Optional.empty());
        try (var direct = new ProducerSettings(kafka, "demo-poison").newProducer()) {
            for (String garbage : POISON) {
                direct.send(new ProducerRecord<>(queue.topics().requests(), "garbage".getBytes(StandardCharsets.UTF_8),
                        garbage.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private void watchTheTiers() {
        chapter("Failures wait in tiers (%s), never in the way of others".formatted(
                pipeline.settings.tiers().stream().map(Demo::brief).collect(Collectors.joining(", "))));
        out.println("""
                   A tier is a topic of Kafka, whose payments are tried again after its delay.
                   After the last tier a payment is dead: it waits for a person.""".indent(3).stripTrailing());
        var unsold = new ArrayDeque<>(plan.steady());
        long failing = plan.count(DemoPlan.Scenario.FAILS_ALWAYS);
        board.watchUntil(stages -> {
            int next = stages.getOrDefault("dead", 0L) < failing ? Math.min(1, unsold.size()) : unsold.size();
            producer.send(Stream.generate(unsold::remove).limit(next).toList());
            return unsold.isEmpty();
        }, PATIENCE);
        awaitRest();
    }

    private void showDeadLetters() {
        chapter("What failed in every tier, or can never be read, is in the dead-letter queue");
        out.println("   What can never be read as a payment is poison.");
        command(OURS + "dlq summary");
        SummaryTable.print(Summary.of(queue, DeadLetterFilter.everything()), Screen.plain(out, 80));
    }

    private void merge() {
        chapter("The PSP works again. A merge sends back what is safe to charge");
        pipeline.foundations.stripe().removeRules();
        var filter = DeadLetterFilter.everything();
        Plan mergePlan = Plan.of(queue, filter);
        command(OURS + "dlq merge --all");
        ChangeReport.printPlan(RunKind.MERGE, RunTerms.UNATTENDED, mergePlan, List.of(), Screen.plain(out, 80));
        command(OURS + "dlq merge --all --yes --reason 'the PSP is mended'");
        new DlqRuns(queue).unattended(RunKind.MERGE, mergePlan, AuditContext.of("demo", Optional.of("the PSP is mended")),
                RunTerms.UNATTENDED);
        awaitRest();
    }

    private void purge() {
        chapter("The poison is purged, with a reason, into the audit log");
        Plan purgePlan = Plan.of(queue, DeadLetterFilter.everything().standing(MoneyStatus.POISON));
        command(OURS + "dlq purge --standing poison --reason 'test records' --yes");
        ChangeReport.printPlan(RunKind.PURGE, RunTerms.UNATTENDED, purgePlan, List.of(), Screen.plain(out, 80));
        new DlqRuns(queue).unattended(RunKind.PURGE, purgePlan, AuditContext.of("demo", Optional.of("test records")), RunTerms.UNATTENDED);
        awaitRest();
    }

    private void refund() {
        chapter("Some customers return goods. Each refund goes to the PSP that has the money,\nand is requested twice");
        command("curl -X POST http://127.0.0.1:8080/v1/payments/PAYMENT/refunds \\", "-H 'Authorization: Bearer test_acme'");
        List<String> paid = paid();
        paid.forEach(payment -> {
            producer.refund(payment);
            producer.refund(payment);
        });
        awaitRest();
        out.printf("   %,d payments were refunded, %,d of them by Adyen, which tells the result%n   by webhook only.%n",
                count("SELECT count(*) FROM operation_now WHERE kind = 'refund' AND state = 'succeeded'"),
                count("SELECT count(*) FROM operation_now WHERE kind = 'refund' AND state = 'succeeded' AND psp = 'adyen'"));
    }

    private void debit() {
        chapter("Three customers pay by direct debit. The bank takes files, over SFTP");
        command(OURS + "bank mandate add %s --merchant acme \\".formatted(DemoBank.MANDATE),
                "--signed 2026-11-01 --debtor-file who-pays.properties");
        LocalBank.add(database, pipeline.vault, DemoBank.MANDATE);
        out.printf("   %s is added; who pays is sealed, and bank-files alone reads it.%n", DemoBank.MANDATE);
        producer.send(DemoBank.DEBITS);
        board.watchUntil(stages -> DemoBank.isDone(database), PATIENCE);
        command(OURS + "bank batches");
        DemoBank.story(database).forEach(line -> out.println("   " + line));
    }

    private void showReceipt() {
        chapter("Acme's customers get receipts by mail, each payment and each refund one");
        command(OURS + "receipt list");
        var mail = pipeline.foundations.mail();
        long due = count("SELECT count(*) FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id "
                + "WHERE its.state = 'succeeded' AND its.kind IN ('charge', 'refund') AND charge.receipt_email IS NOT NULL");
        board.watchUntil(stages -> count("SELECT count(*) FROM receipt WHERE state = 'sent'") >= due, PATIENCE);
        var letters = mail.lettersTo(DemoProducer.CUSTOMER);
        out.printf("   %,d were mailed, under %,d ids. The last one:%n%n", letters.size(),
                letters.stream().map(Letter::id).distinct().count());
        letters.reversed().stream().limit(1).forEach(last -> {
            out.printf("      To: %s%n      Subject: %s%n%n", String.join(", ", last.to()), last.subject());
            last.text().lines().limit(RECEIPT_LINES).forEach(line -> out.println("      " + line));
        });
    }

    private void showWebhook() {
        chapter("Acme's own server hears of each end by webhook, signed for it alone");
        command(OURS + "webhook add --merchant acme --url http://localhost:8088/hooks", OURS + "webhook deliveries");
        long due = count("SELECT count(*) FROM operation_now WHERE merchant_id = 'acme' AND state IN ('succeeded', 'declined', 'purged')");
        board.watchUntil(stages -> receiver.told().stream().map(DemoReceiver.Told::id).distinct().count() >= due, PATIENCE);
        List<DemoReceiver.Told> told = receiver.told();
        out.printf("   %,d came, each with the right signature, under %,d ids. The last one:%n%n", told.size(),
                told.stream().map(DemoReceiver.Told::id).distinct().count());
        told.reversed().stream().limit(1).forEach(last -> {
            out.printf("      webhook-id: %s%n", last.id());
            PaymentJson.MAPPER.readTree(last.body()).toPrettyString().lines().forEach(line -> out.println("      " + line));
        });
    }

    private void reconcile() {
        chapter("At night, what each PSP says it booked is compared with every attempt");
        command(OURS + "bank reconcile --psp stripe --fetch --apply");
        var foundations = pipeline.foundations;
        DemoReconciliation.run(database, foundations.stripe(), foundations.adyen()).forEach(line -> out.println("   " + line));
    }

    private CheckVerdict checkTheBooks() {
        chapter("The check: the shops' answers, the ledgers of both PSPs and the bank, tables\nand topics must agree");
        command(OURS + "load check");
        CheckVerdict verdict = Checker.check(evidence());
        out.print(verdict.balanced() ? verdict.summary().indent(3) : verdict.report());
        return verdict;
    }

    private CheckEvidence evidence() {
        var settings = pipeline.settings;
        List<ClientCall> calls = producer.answers().stream().map(Demo::call).toList();
        return CheckEvidence.of(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), settings.kafka(),
                settings.tiers(), List.of(pipeline.foundations.stripe().apiBase(), pipeline.foundations.adyen().apiBase(),
                        pipeline.foundations.bank().ledger()))
                .calls(new Calls.InMemory(calls, producer.refunds())).withOurReceipts();
    }

    private static ClientCall call(DemoProducer.Accepted accepted) {
        var payment = accepted.payment();
        return new ClientCall(payment.merchant(), payment.key(),
                new ClientCall.Content(payment.amount(), payment.currency(), payment.method()), ClientCall.Result.OK,
                Optional.of(accepted.paymentId()));
    }

    /** Until every payment is settled or dead, and everything staged is published. */
    private void awaitRest() {
        List<String> ends = List.of("succeeded", "refunded", "declined", "dead", "purged");
        boolean rest = board.watchUntil(stages -> ends.containsAll(stages.keySet()) && outboxIsEmpty() && poisonHasArrived(), PATIENCE);
        if (!rest) {
            out.println("   Some payments are not finished in time; the check below will say so.");
        }
    }

    private static final String PAID = """
            SELECT operation_id FROM (SELECT operation_id, row_number() OVER (PARTITION BY psp ORDER BY operation_id) AS n
              FROM operation_now WHERE kind = 'charge' AND state = 'succeeded' AND merchant_id = 'acme') AS paid WHERE n <= 5
            """;

    /** A few of each PSP. */
    private List<String> paid() {
        return database.withConnection(connection -> Sql.all(connection, PAID, row -> row.getString(1)));
    }

    private boolean outboxIsEmpty() {
        return count("SELECT count(*) FROM outbox") == 0;
    }

    private boolean poisonHasArrived() {
        return count("SELECT count(*) FROM dead_letter WHERE source_topic IS NOT NULL") == POISON.size();
    }

    private long count(String sql) {
        return database.withConnection(connection -> Sql.one(connection, sql, row -> row.getLong(1)));
    }

    private void chapter(String title) {
        out.printf("%n%s.%n", title);
    }

    /** What a person would type. A line that ends with a backslash goes on in the next one. */
    private void command(String... lines) {
        boolean goesOn = false;
        for (String line : lines) {
            out.printf("   %s%s%n", goesOn ? "    " : "$ ", line);
            goesOn = line.endsWith("\\");
        }
    }

    private static String brief(Duration delay) {
        return delay.toMillis() % 1000 == 0 ? delay.toSeconds() + " s" : delay.toMillis() + " ms";
    }

    @Override
    public void close() {
        database.close();
        pipeline.close();
        receiver.close();
    }
}
