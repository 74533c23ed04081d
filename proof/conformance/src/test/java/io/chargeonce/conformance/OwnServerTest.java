// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentBatch;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.database.Migrations;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Chargeonce's own ingest service, tried like any other server. */
class OwnServerTest {

    private static Meters meters;
    private static IngestService service;

    @BeforeAll
    static void start() throws Exception {
        String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme'), ('globex');
                    INSERT INTO chargeonce.merchant (merchant_id, requests_per_second) VALUES ('limited', 10);
                    INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id)
                    VALUES (sha256('test_acme'), 'acme'), (sha256('test_globex'), 'globex'), (sha256('test_limited'), 'limited');
                    INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id, scopes)
                    VALUES (sha256('test_till'), 'acme', '{pay}')""");
        }
        String kafka = TestStack.kafka().bootstrapServers();
        var topics = new Topics("conformance");
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            new TopicPlan(topics, 1, Optional.empty()).create(admin);
        }
        meters = Meters.of("ingest-service");
        var pipeline = new PipelineSettings(url, "postgres", "", kafka, Optional.empty(), topics.prefix(),
                List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)), Optional.empty());
        service = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)), meters);
    }

    @AfterAll
    static void stop() {
        service.close();
        meters.close();
    }

    private static String url() {
        return "http://127.0.0.1:" + service.port();
    }

    @Test
    void every_rule_is_kept() {
        ConformanceReport report = Conformance
                .of(new TriedServer(URI.create(url()), "test_acme", Optional.of("test_globex"), Optional.empty(), TriedServer.PAYMENT,
                        409));

        assertThat(report.lines()).hasSize(Rules.ALL.size())
                .allSatisfy(line -> assertThat(line.verdict()).as(line.text()).isEqualTo("kept"));
        assertThat(report.isSafe()).isTrue();
    }

    @Test
    void a_merchant_with_a_limit_is_waited_for_and_breaks_no_rule() {
        ConformanceReport report = Conformance
                .of(new TriedServer(URI.create(url()), "test_limited", Optional.of("test_globex"), Optional.empty(), TriedServer.PAYMENT,
                        409));

        assertThat(report.lines()).allSatisfy(line -> assertThat(line.verdict()).as(line.text()).isEqualTo("kept"));
    }

    @Test
    void a_token_that_may_not_use_the_other_endpoint_breaks_no_rule() {
        ConformanceReport report = Conformance
                .of(new TriedServer(URI.create(url()), "test_till", Optional.empty(), Optional.empty(), TriedServer.PAYMENT, 409));

        assertThat(report.isSafe()).isTrue();
        assertThat(report.lines()).filteredOn(line -> line.name().equals("other-endpoint")).singleElement()
                .satisfies(line -> assertThat(line.text()).contains("skipped", "403"));
    }

    @Test
    void the_command_prints_a_line_a_rule_and_the_sum() {
        var out = new StringWriter();
        int exit = new CommandLine(new ConformanceCommand()).setOut(new PrintWriter(out))
                .execute("--url", url(), "--token", "test_acme", "--json");

        assertThat(exit).isZero();
        assertThat(out.toString().lines()).hasSize(Rules.ALL.size() + 1);
        assertThat(out.toString().lines().filter(line -> line.contains("\"verdict\":\"skipped\""))).hasSize(1)
                .allSatisfy(line -> assertThat(line).contains("other-tenant"));
    }

    @Test
    void the_java_client_and_this_service_understand_each_other() throws Exception {
        try (var client = new PaymentClient(URI.create(url()), "test_acme", Retries.USUAL)) {
            var payment = NewPayment.derived("client-1", "charge", 1299, "EUR", "pm_card_visa").withCustomer("cus_7")
                    .withDescription("two mugs").withReceiptEmail("a@example.com");
            var first = (Sent.Accepted) client.send(payment);
            var again = (Sent.Accepted) client.send(payment);
            assertThat(first.replay()).isFalse();
            assertThat(again).isEqualTo(new Sent.Accepted(first.paymentId(), "accepted", true, 1));
            assertThat(client.send(NewPayment.of(payment.key(), 1, "EUR", "pm"))).isInstanceOf(Sent.Refused.class);

            PaymentBatch batch = client.batch();
            IntStream.range(0, 600).forEach(i -> batch.add(NewPayment.of("batch-" + i, 1 + i, i == 300 ? "XXXX" : "EUR", "pm")));
            List<Sent> answers = batch.send();
            assertThat(answers).hasSize(600).filteredOn(sent -> sent instanceof Sent.Accepted).hasSize(599);
            assertThat(answers.get(300)).isInstanceOf(Sent.Refused.class);
        }
    }
}
