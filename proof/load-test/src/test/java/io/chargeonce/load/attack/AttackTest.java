// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.load.LoadCommand;
import io.chargeonce.load.attack.Attack.Kind;
import io.chargeonce.load.attack.Attack.Result;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The attacks find what is weak, and the pipeline is not. Slow clients are in SlowClientsTest, and in a run without {@code --quick}. */
class AttackTest {

    private static final String DATABASE_ATTACKS = "stolen-.*";
    private static final int CROWD = 150;

    @Tag("proof")
    @Test
    void a_running_pipeline_holds() throws Exception {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        Roles.apply(url, "postgres", "", Optional.empty());
        try (var connection = DriverManager.getConnection(url
                + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            statement.execute("INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex')");
            statement.execute(
                    "INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme'), "
                            + "(sha256('test_globex'), 'globex')");
        }
        var topics = new Topics("attack-" + UUID.randomUUID());
        try (var kafka = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            kafka.createTopics(new TopicPlan(topics, 1, Optional.of((short) 1)).all()).all().get();
        }
        int webhooks = freePort();
        try (var stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
             var meters = Meters.of("test");
             var ingest = IngestService.start(new IngestSettings(pipeline(url, topics, "chargeonce_ingest"), new Address("127.0.0.1", 0),
                     16,
                     Duration.ofHours(24)), meters);
             var charge = ChargeService.start(charging(pipeline(url, topics, "chargeonce_charge"), stripe, webhooks), meters);
             var admin = AdminServer.start(new Address("127.0.0.1", 0), Optional.of(new Secret("admin-token")), meters::scrape)) {
            var target = new AttackTarget(local(ingest.port()), "test_acme", "test_globex", Optional.of(local(webhooks)),
                    Optional.of("whsec_test"),
                    Optional.of(local(admin.port())), Optional.of("admin-token"), Optional.of(url),
                    Roles.ALL.stream().collect(Collectors.toMap(Function.identity(), role -> "")), List.of(), Duration.ofSeconds(30),
                    CROWD);
            List<Attack> quick = Attack.all().stream().filter(attack -> attack.kind() != Kind.SLOW).toList();
            var report = new AttackReport(new Storm(target).run(quick));

            assertThat(report.fell()).as(report.table()).isEmpty();
            assertThat(report.results().values().stream().filter(Result.NotTried.class::isInstance).count()).as(report.table())
                    .isLessThanOrEqualTo(1);
        }
    }

    /** An attack that holds there would hold anywhere, and say nothing. */
    @Test
    void at_a_server_that_takes_everything_each_attack_says_that_it_fell() throws Exception {
        try (var server = new GullibleServer()) {
            URI door = local(server.port());
            var target = new AttackTarget(door, "test_acme", "test_globex", Optional.of(door), Optional.of("whsec_test"), Optional.of(door),
                    Optional.of("admin-token"), Optional.empty(), Map.of(), List.of(), Duration.ofMillis(300), 60);
            List<Attack> all = Attack.all().stream().filter(attack -> !attack.name().matches(DATABASE_ATTACKS + "|log-lines")).toList();
            var report = new AttackReport(new Storm(target).run(all));

            assertThat(report.fell()).as(report.table()).containsExactlyInAnyOrderElementsOf(all.stream().map(Attack::name).toList());
        }
    }

    @Test
    void a_right_too_many_is_found() throws Exception {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        Roles.apply(url, "postgres", "", Optional.empty());
        var target = new AttackTarget(local(1), "a", "b", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.of(url),
                Roles.ALL.stream().collect(Collectors.toMap(Function.identity(), role -> "")), List.of(), Duration.ofSeconds(1), 1);
        grant(url, "GRANT SELECT (receipt_email) ON operation TO chargeonce_ingest, chargeonce_merchant_admin",
                "INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, "
                        + "charge_within_s) "
                        + "VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1, 'EUR', 'pm', 60)",
                "GRANT DELETE ON audit_seal TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_reader, chargeonce_dlq_operator");
        try (var siege = new AttackSession(target)) {
            for (Attack attack : DatabaseAttacks.ALL) {
                assertThat(attack.trial().at(siege)).as(attack.name()).isInstanceOf(Result.Fell.class);
            }
        }
    }

    /** 'chargeonce up' has no roles, and says nothing about them. */
    @Test
    void a_login_that_does_not_exist_stole_nothing_and_held_nothing() throws SQLException {
        var target = new AttackTarget(local(1), "a", "b", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.of(TestStack.newDatabase()), Map.of("chargeonce_no_such", ""), List.of(), Duration.ofSeconds(1), 1);
        assertThat(DatabaseAttacks.steal(target, "chargeonce_no_such", List.of("SELECT 1"))).isInstanceOfSatisfying(Result.NotTried.class,
                not -> assertThat(not.needs()).contains("does not exist", "chargeonce migrate --roles"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://192.0.2.1:8080", "http://0.0.0.0:8080", "http://[2001:db8::1]:8080",
        "http://127.0.0.1.example.invalid"})
    void nothing_but_this_machine_is_attacked(String address) {
        var said = new StringWriter();
        int exit = new CommandLine(new LoadCommand()).setErr(new PrintWriter(said, true)).execute("attack", "--url", address);
        assertThat(exit).isEqualTo(2);
        assertThat(said.toString()).contains("give an address of 127.0.0.1 or localhost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:postgresql://192.0.2.1:5432/x", "jdbc:postgresql://127.0.0.1,192.0.2.1/x", "jdbc:other://127.0.0.1/x"})
    void no_other_database_is_either(String url) {
        assertThatThrownBy(
                () -> new AttackTarget(local(1), "a", "b", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                        Optional.of(url),
                        Map.of(), List.of(), Duration.ofSeconds(1), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void where_no_honest_payment_is_accepted_nothing_is_said_to_hold() throws IOException {
        var said = new StringWriter();
        int exit = new CommandLine(new LoadCommand()).setErr(new PrintWriter(said, true)).execute("attack", "--url",
                local(freePort()).toString());
        assertThat(exit).isEqualTo(2);
        assertThat(said.toString()).contains("nothing was tried");
    }

    private static void grant(String url, String... statements) throws SQLException {
        try (var connection = DriverManager.getConnection(url
                + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static PipelineSettings pipeline(String url, Topics topics, String role) {
        return new PipelineSettings(url.replace("user=postgres", "user=" + role), role, "", TestStack.kafka().bootstrapServers(),
                Optional.empty(),
                topics.prefix(), List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)), Optional.empty());
    }

    private static ChargeSettings charging(PipelineSettings pipeline, StripeSimulator stripe, int webhooks) {
        var settings = new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(), Duration.ofSeconds(2), Optional.of("whsec_test"),
                true);
        return new ChargeSettings(pipeline, List.of(settings), 100, Duration.ofSeconds(12), Duration.ofSeconds(1),
                List.of(Duration.ofMillis(300)),
                Duration.ofSeconds(5), Optional.empty(), ChargeSettings.Pace.USUAL, Optional.of(new Address("127.0.0.1",
                        webhooks)));
    }

    private static URI local(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
