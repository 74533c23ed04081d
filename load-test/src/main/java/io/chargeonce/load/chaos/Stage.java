package io.chargeonce.load.chaos;

import io.chargeonce.checker.Calls;
import io.chargeonce.checker.Evidence;
import io.chargeonce.database.Migrations;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Everything that a campaign plays on: broker and services as processes of their own, Postgres, and the PSP with its ledger
 * outside of them; proxies between the services and what they stand on. Listens on loopback only. For one thread.
 */
final class Stage implements AutoCloseable {

    static final List<Duration> TIERS = List.of(Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofSeconds(1));
    private static final Duration TO_START = Duration.ofSeconds(60);

    final Path directory;
    final PostgresServer postgres;
    final StripeSimulator stripe;
    final TcpProxy toPostgres;
    final TcpProxy toStripe;
    final Child broker;
    final List<Child> services;
    private final int kafkaPort = LowPort.free();
    private final int ingestPort = LowPort.free();
    private final String database;
    private final List<Long> storms = new ArrayList<>();
    private final Thread lastWill = new Thread(() -> {
        killAll();
        removeDirectory();
    }, "kill-children");

    Stage(Optional<Plant> plant) {
        Runtime.getRuntime().addShutdownHook(lastWill);
        try {
            this.directory = Files.createTempDirectory("chargeonce-chaos-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.postgres = PostgresServer.start(directory.resolve("postgres"), LowPort.free());
        this.stripe = StripeSimulator.start(StripeSettings.inMemory().port(LowPort.free()));
        this.toPostgres = TcpProxy.start(postgres.port());
        this.toStripe = TcpProxy.start(stripe.port());
        this.database = postgres.jdbcUrl();
        this.broker = new Child("broker", List.of("broker", directory.resolve("kafka").toString(), "" + kafkaPort), Map.of(),
                directory, Optional.empty());
        this.services = List.of(service("ingest", 1, plant), service("charge", 1, plant), service("charge", 2, plant),
                service("retry", 1, plant));
    }

    private Child service(String kind, int number, Optional<Plant> plant) {
        var settings = new HashMap<String, String>();
        settings.put("CHARGEONCE_DATABASE_URL", "jdbc:postgresql://127.0.0.1:%d/chargeonce".formatted(toPostgres.port()));
        settings.put("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", kafka());
        settings.put("CHARGEONCE_RETRY_TIERS", "300ms,600ms,1s");
        if (kind.equals("ingest")) {
            settings.put("CHARGEONCE_INGEST_ADDRESS", "127.0.0.1:" + ingestPort);
        } else {
            settings.put("CHARGEONCE_STRIPE_API_KEY_FILE", secret().toString());
            settings.put("CHARGEONCE_STRIPE_API_BASE", "http://127.0.0.1:" + toStripe.port());
            settings.put("CHARGEONCE_PSP_TIMEOUT", "500ms");
            settings.put("CHARGEONCE_CLAIM_LEASE", "4s");
            settings.put("CHARGEONCE_BREAKER_OPEN_FOR", "300ms");
            settings.put("CHARGEONCE_RESOLVE_LADDER", "200ms,500ms");
            settings.put("CHARGEONCE_SWEEP_AFTER", "2s");
        }
        plant.filter(bug -> !kind.equals("ingest")).ifPresent(bug -> settings.putAll(bug.settings()));
        return new Child(kind + "-" + number, List.of(kind), settings, directory, plant.map(Plant::tag));
    }

    private Path secret() {
        try {
            return Files.writeString(directory.resolve("stripe-key"), "sk_test_chaos");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String kafka() {
        return "127.0.0.1:" + kafkaPort;
    }

    URI ingest() {
        return URI.create("http://127.0.0.1:" + ingestPort);
    }

    /** Returns when the ingest service takes requests. */
    void start() {
        broker.startIfDead();
        awaitPort(kafkaPort, broker);
        Migrations.apply(database, "postgres", "");
        sql("INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme'), ('globex');"
                + "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme'), (sha256('test_globex'), 'globex')");
        var topics = new PipelineTopics(kafka());
        topics.create();
        services.forEach(Child::startIfDead);
        awaitPort(ingestPort, services.getFirst());
        topics.awaitMembers(TO_START);
    }

    void sql(String statements) {
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement()) {
            statement.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException("Postgres refused: " + e.getMessage(), e);
        }
    }

    /** Until the next healing, beside the rules that single payments have. */
    void storm(FaultRule rule) {
        storms.add(stripe.inject(rule));
    }

    /** Ends every fault that is going on, and returns when everything runs again. */
    void heal() {
        toPostgres.set(Conditions.fair());
        toStripe.set(Conditions.fair());
        stripe.acceptConnections();
        stripe.endOutage();
        storms.forEach(stripe::removeRule);
        storms.clear();
        broker.thaw();
        broker.startIfDead();
        awaitPort(kafkaPort, broker);
        services.forEach(Child::thaw);
        services.forEach(Child::startIfDead);
        awaitPort(ingestPort, services.getFirst());
    }

    private void awaitPort(int port, Child child) {
        long giveUp = System.nanoTime() + TO_START.toNanos();
        while (!accepts(port)) {
            if (!child.isAlive() || System.nanoTime() > giveUp) {
                throw new IllegalStateException("%s does not come up; its log: %s".formatted(child.name(), tail(child.log())));
            }
            Pauses.of(Duration.ofMillis(50));
        }
    }

    private static boolean accepts(int port) {
        try (var socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static String tail(Path log) {
        try (Stream<String> lines = Files.lines(log)) {
            return String.join(" | ", lines.filter(line -> line.contains("ERROR") || line.contains("Exception")).toList().reversed().stream().limit(3).toList());
        } catch (IOException e) {
            return "unreadable";
        }
    }

    Evidence evidence(Path history) {
        return Evidence.of(database, "postgres", "", kafka(), TIERS, List.of(stripe.apiBase())).calls(new Calls.InFile(history))
                .planted(List.of("sk_test_chaos", "4242424242424242"), services.stream().map(Child::log).filter(Files::exists).toList());
    }

    private void killAll() {
        if (services != null) {
            services.forEach(Child::kill);
        }
        if (broker != null) {
            broker.kill();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    @Override
    public void close() {
        killAll();
        toPostgres.close();
        toStripe.close();
        stripe.close();
        removeDirectory();
        Runtime.getRuntime().removeShutdownHook(lastWill);
    }

    private void removeDirectory() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
