// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Migrations;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Beside a charge service with tiers of one and two seconds and two PSPs. */
class CheckCommandTest {

    private static final int FAILED = 70;

    private final String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
    private final Lifecycle parts = new Lifecycle("test", Duration.ofSeconds(30));
    private final StringWriter out = new StringWriter();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private StripeSimulator stripe;
    private AdyenSimulator adyen;
    private AdminServer admin;

    @BeforeEach
    void start() {
        String kafka = TestStack.kafka().bootstrapServers();
        var tiers = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2));
        try (var client = Admin.create(Map.of("bootstrap.servers", kafka))) {
            new TopicPlan(new Topics("payments"), tiers.size(), 1, Optional.of((short) 1)).create(client);
        }
        stripe = parts.start("stripe", () -> StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory()));
        adyen = parts.start("adyen", () -> AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory()));
        var meters = parts.start("meters", () -> Meters.of("test"));
        var pipeline = new PipelineSettings(url, "postgres", "", kafka, Optional.empty(), "payments", tiers, Optional.empty());
        var settings = new ChargeSettings(pipeline,
                List.of(new StripeSettings("sk_test", stripe.apiBase().toString(), Duration.ofSeconds(1)),
                        new AdyenSettings(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY,
                                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, adyen.apiBase().toString(),
                                Duration.ofSeconds(1), Optional.empty())),
                10, Duration.ofSeconds(20), Duration.ofSeconds(1), List.of(Duration.ofSeconds(1)), Duration.ofMinutes(1),
                Optional.empty(), ChargeSettings.Pace.USUAL).withOurReceipts();
        parts.start("charge", () -> ChargeService.start(settings, meters));
        admin = parts.start("admin", () -> AdminServer.start(new Address("127.0.0.1", 0), Optional.<Secret>empty(), meters::scrape));
    }

    @AfterEach
    void stop() {
        parts.close();
    }

    private int check(String service, String... more) {
        var arguments = new ArrayList<>(List.of("check", "--database", url + "&user=postgres", "--kafka",
                TestStack.kafka().bootstrapServers(), "--service", service));
        arguments.addAll(List.of(more));
        var line = new CommandLine(new LoadCommand()).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            failure.set(e);
            return FAILED;
        });
        return line.execute(arguments.toArray(String[]::new));
    }

    private String service() {
        return "http://127.0.0.1:" + admin.port();
    }

    private void execute(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce", "postgres", "");
             var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void waited(int tier, String interval) throws SQLException {
        try (var connection = DriverManager.getConnection(url, "postgres", ""); var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO chargeonce.tier_visit (operation_id, step, generation, tier, state, staged_at, due_at)
                    VALUES ('pay_1', %d, 1, %d, 'scheduled', now(), now() + interval '%s')""".formatted(tier + 1, tier, interval));
        }
    }

    @Test
    void tiers_and_psps_come_from_the_running_service() throws Exception {
        waited(1, "1 s");
        waited(2, "2 s");
        assertThat(check(service())).as(out.toString()).isZero();
        assertThat(out.toString()).contains("retry tiers: 1s, 2s", stripe.apiBase().toString(), adyen.apiBase().toString(),
                "The books balance.");
    }

    @Test
    void a_receipt_that_kafka_lost_is_named() throws Exception {
        // One that is there, of later, and one that is not.
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                       receipt_email, charge_within_s)
                SELECT id, id, 'charge', 'acme', id, 1299, 'EUR', 'pm', 'ann@example.com', 86400
                  FROM unnest(ARRAY['pay_lost', 'pay_later']) AS one (id);
                UPDATE operation_state SET state = 'succeeded', step = 2, psp = 'stripe', psp_reference = 'pi_1',
                       settled_at = now() - CASE operation_id WHEN 'pay_lost' THEN interval '3 days' ELSE interval '0' END;
                SELECT stage_receipts(ARRAY['pay_later'])""");
        check(service());
        assertThat(out.toString()).contains("receipts: one for each success with an address since", "name --receipts")
                .doesNotContain("there is no receipt");
        assertThat(check(service(), "--receipts")).isEqualTo(1);
        assertThat(all()).filteredOn(line -> line.contains("there is no receipt")).singleElement()
                .satisfies(line -> assertThat(line).contains("pay_lost"));
    }

    @Test
    void a_wait_that_is_shorter_than_the_services_tier_is_early() throws Exception {
        waited(2, "1.9 s");
        assertThat(check(service(), "--json")).isEqualTo(1);
        assertThat(out.toString().lines()).hasSize(1).allSatisfy(line -> assertThat(line)
                .contains("\"verdict\":\"broken\"", "where tier 2 has a delay of 2.000 s"));
    }

    @Test
    void the_verdict_comes_last_after_the_first_three_findings_and_the_file_that_holds_all() throws Exception {
        for (int step = 2; step < 7; step++) {
            execute("INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) "
                    + "VALUES ('pay_1', %d, 1, 2, 'scheduled', now(), now() + interval '1.9 s')".formatted(step));
        }
        assertThat(check(service())).isEqualTo(1);
        List<String> lines = out.toString().strip().lines().toList();
        assertThat(lines).filteredOn(line -> line.startsWith("never-early: pay_1 was due")).hasSize(3);
        assertThat(lines.getLast()).isEqualTo("The books do not balance.");
        assertThat(lines.get(lines.size() - 2)).isEqualTo("      5 × never-early");
        assertThat(out.toString()).contains("\nlost 0, charged twice 0, charged unasked 0, wrong amount 0,\n");
        assertThat(all()).filteredOn(line -> line.startsWith("never-early: pay_1 was due")).hasSize(5);
    }

    /** All findings, from the file that the output names last. */
    private List<String> all() throws IOException {
        String named = "all of it, with its history: ";
        Path file = Path.of(out.toString().lines().filter(line -> line.startsWith(named)).reduce((first, last) -> last).orElseThrow()
                .substring(named.length()));
        List<String> lines = Files.readAllLines(file);
        Files.delete(file);
        return lines;
    }

    @Test
    void tiers_that_are_named_win() throws Exception {
        waited(2, "1.9 s");
        assertThat(check(service(), "--tiers", "1s,1900ms")).as(out.toString()).isZero();
        assertThat(out.toString()).contains("retry tiers: 1s, 1.9s");
    }

    @Test
    void without_a_service_that_tells_them_it_says_which_options_name_them() {
        assertThat(check("http://127.0.0.1:1")).isEqualTo(FAILED);
        assertThat(failure.get()).hasCauseInstanceOf(ConnectException.class).hasMessageContaining(
                "no charge or retry service tells its settings at http://127.0.0.1:1").hasMessageContaining("--tiers and each --psp");
    }
}
