// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.database.Migrations;
import io.chargeonce.load.chaos.outsiders.CampaignOutsiders;
import io.chargeonce.load.chaos.woven.Weaver;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import io.chargeonce.load.traffic.TrafficMerchant;
import io.chargeonce.load.traffic.PlannedOutcome;
import io.chargeonce.load.traffic.Wallet;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.PspSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * What a campaign runs on: broker and services as processes of their own, Postgres, and the PSP with its ledger
 * outside of them; proxies between the services and all that they connect to. Listens on loopback only. For one thread.
 */
final class CampaignStage implements AutoCloseable {

    private static final List<String> MERCHANTS = List.of("acme", "globex");
    static final List<Duration> TIERS = List.of(Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofSeconds(1));
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final Duration TO_LEAVE = Duration.ofSeconds(10);
    private static final int TRIES_TO_REMOVE = 20;

    final Path directory;
    final PostgresServer postgres;
    final StripeSimulator stripe;
    final AdyenSimulator adyen;
    final TcpProxy toPostgres;
    final TcpProxy toStripe;
    final TcpProxy toAdyen;
    /** Half of the services reach the broker through this one, */
    final TcpProxy toKafka;
    /** and the others through that one. */
    final TcpProxy toKafkaForOthers;
    final Child broker;
    /** What the pipeline consists of, and who works its dead-letter queue. */
    final List<Child> services;
    /** Present if their faults are to come. */
    final Optional<CampaignOutsiders> outsiders;
    /** The same. */
    final Optional<CampaignBank> bank;
    private final Child operators;
    private final Child console;
    private final SequencedMap<URI, Child> metrics = new LinkedHashMap<>();
    private final int kafkaPort = LowPort.free();
    private final int ingestPort = LowPort.free();
    final int webhookPort = LowPort.free();
    private final Path changedClasses;
    final CampaignDatabase database;
    /** Watches like the console of a team; killed and frozen like the rest. */
    final WitnessedConsole witness;
    private final List<Runnable> storms = new ArrayList<>();
    private final List<Runnable> brokerMendings = new ArrayList<>();
    private boolean operatorsAtWork;
    private final Thread lastWill = new Thread(() -> {
        killAll();
        removeDirectory();
    }, "kill-children");

    /**
     * @param settings for the services that charge, beside the usual
     * @param kinds    the faults to come: only for those of merchants' receivers and of the mail server there are services that send
     */
    CampaignStage(Optional<Plant> plant, Map<String, String> settings, List<FaultKind> kinds) {
        Runtime.getRuntime().addShutdownHook(lastWill);
        try {
            this.directory = Files.createTempDirectory("chargeonce-chaos-");
            Files.createDirectory(directory.resolve(Child.REACHED));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.changedClasses = directory.resolve("changed-classes.jar");
        Weaver.write(changedClasses, plant);
        this.postgres = PostgresServer.start(directory.resolve("postgres"), LowPort.free());
        this.stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory().port(LowPort.free()).account(ServiceSettings.STRIPE_KEY)
                .webhook(URI.create("http://127.0.0.1:" + webhookPort + "/v1/webhooks/stripe"), ServiceSettings.STRIPE_WEBHOOK_SECRET));
        this.adyen = AdyenSimulator.start(cards().port(LowPort.free())
                .webhook(URI.create("http://127.0.0.1:" + webhookPort + "/v1/webhooks/adyen"), ServiceSettings.ADYEN_HMAC_KEY));
        this.toPostgres = TcpProxy.start(postgres.port());
        this.toStripe = TcpProxy.start(stripe.port());
        this.toAdyen = TcpProxy.start(adyen.port());
        this.database = new CampaignDatabase(postgres.jdbcUrl());
        int guarded = LowPort.free();
        int guardedForOthers = LowPort.free();
        this.toKafka = TcpProxy.start(guarded);
        this.toKafkaForOthers = TcpProxy.start(guardedForOthers);
        this.broker = new Child("broker", List.of("broker", directory.resolve("kafka").toString(), "" + kafkaPort,
                guarded + ":" + toKafka.port(), guardedForOthers + ":" + toKafkaForOthers.port()), Map.of(), directory, changedClasses);
        this.outsiders = Stream.of(FaultKind.RECEIVERS, FaultKind.MAIL).anyMatch(kinds::contains)
                ? Optional.of(new CampaignOutsiders(MERCHANTS)) : Optional.empty();
        this.bank = kinds.contains(FaultKind.BANK) ? Optional.of(new CampaignBank(directory.resolve("bank"))) : Optional.empty();
        this.operators = service("operator", 1, Map.of());
        this.console = service("console", 1, Map.of());
        this.witness = new WitnessedConsole(metrics.pollLastEntry().getKey());
        var charging = new HashMap<>(settings);
        outsiders.ifPresent(they -> charging.put("CHARGEONCE_RECEIPTS", "chargeonce"));
        bank.ifPresent(it -> charging.putAll(Map.of("CHARGEONCE_BANKS", "bank", "CHARGEONCE_ROUTES", routes(ServiceSettings.ROUTES))));
        Stream<Child> sending = Stream.concat(outsiders.stream().flatMap(
                they -> Stream.of(service("webhooks", 1, they.settings()), service("receipts", 1, they.settings()))),
                bank.stream().map(it -> service("bank-files", 1, it.settings())));
        this.services = Stream
                .concat(Stream.of(service("ingest", 1, Map.of()), service("charge", 1, charging), service("charge", 2, charging),
                        service("retry", 1, charging), operators, console),
                        sending)
                .toList();
    }

    /** These, behind the one that debits have if there is a bank. */
    String routes(String others) {
        return bank.map(it -> CampaignBank.ROUTE + others).orElse(others);
    }

    /** The load's cards, as this PSP has stored them. */
    private static AdyenSimulatorSettings cards() {
        var settings = AdyenSimulatorSettings.inMemory().modificationLag(Duration.ofMillis(200));
        for (PlannedOutcome outcome : PlannedOutcome.values()) {
            for (String card : outcome.cards()) {
                settings = settings.storing(card, outcome == PlannedOutcome.DECLINED ? "DECLINED" : "APPROVED");
            }
        }
        return settings;
    }

    private Child service(String kind, int number, Map<String, String> more) {
        Map<String, String> environment = new ServiceSettings(directory, kafkaOf(kind, number).port(), toPostgres.port(),
                toStripe.port(), toAdyen.port()).of(kind, ingestPort);
        if (kind.equals("charge") && number == 1) {
            // The simulators know one address; what they cannot deliver there they keep until this process is back.
            environment.put("CHARGEONCE_WEBHOOK_ADDRESS", "127.0.0.1:" + webhookPort);
        }
        environment.putAll(more);
        var service = new Child(kind + "-" + number, List.of(kind, "" + number, lateTruth().toString()), environment, directory,
                changedClasses);
        Optional.ofNullable(environment.get("CHARGEONCE_ADMIN_ADDRESS"))
                .ifPresent(address -> metrics.put(URI.create("http://" + address), service));
        return service;
    }

    /** The way of this service to the broker. */
    private TcpProxy kafkaOf(String kind, int number) {
        return List.of("retry", "console").contains(kind) || number == 2 ? toKafkaForOthers : toKafka;
    }

    /** The broker's own address, past the proxies and without credentials. */
    String kafka() {
        return "127.0.0.1:" + kafkaPort;
    }

    URI ingest() {
        return URI.create("http://127.0.0.1:" + ingestPort);
    }

    /**
     * Returns when the ingest service takes requests.
     *
     * @param rehearsed what is started often enough to be worth the time is first ended once, so that it starts faster
     */
    void start(boolean rehearsed) {
        if (rehearsed) {
            broker.startForRehearsal();
        } else {
            broker.startIfDead();
        }
        awaitPort(kafkaPort, broker);
        Migrations.apply(database.url(), "postgres", "");
        database.sql("INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme'), ('globex');"
                + "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme'), "
                + "(sha256('test_globex'), 'globex')");
        outsiders.ifPresent(they -> they.endpoints().forEach(database::sql));
        Wallet.rows(TrafficMerchant.sandbox().stream().map(TrafficMerchant::name).toList()).forEach(database::sql);
        bank.ifPresent(it -> it.rows().forEach(database::sql));
        var topics = new PipelineTopics(kafka());
        topics.create();
        if (rehearsed) {
            rehearse(topics);
        }
        heal();
        topics.awaitMembers(TO_START);
    }

    private void rehearse(PipelineTopics topics) {
        services.forEach(Child::startForRehearsal);
        awaitPort(ingestPort, services.getFirst());
        topics.awaitMembers(TO_START);
        var all = new ArrayList<>(services);
        all.addFirst(broker);
        all.reversed().forEach(Child::askToEnd);
        all.reversed().forEach(child -> child.terminate(TO_START));
    }

    private void startServices() {
        services.stream().filter(service -> operatorsAtWork || service != operators).forEach(Child::startIfDead);
    }

    /** People begin or end their work on the dead-letter queue. */
    void operatorsAtWork(boolean now) {
        operatorsAtWork = now;
        if (now) {
            operators.startIfDead();
        } else {
            operators.terminate(TO_LEAVE);
        }
    }

    /** Those whose clock may be wrong: the witness's setting says how right its own must be. */
    List<Child> withAnyClock() {
        return services.stream().filter(service -> service != console).toList();
    }

    /** Those that are members of groups. */
    List<Child> consumers() {
        return services.stream().filter(service -> service.name().startsWith("charge") || service.name().startsWith("retry")).toList();
    }

    /** Until the next healing, beside the rules that single payments have. */
    void storm(PspSimulator psp, FaultRule rule) {
        long id = psp.inject(rule);
        storms.add(() -> psp.removeRule(id));
    }

    /** What is to be done at the next healing. */
    void atHealing(Runnable mending) {
        storms.add(mending);
    }

    /** The same, when the broker is well again. */
    void atHealingOfBroker(Runnable mending) {
        brokerMendings.add(mending);
    }

    /** A file that is there until the next healing. */
    void mark(Path file) {
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        atHealing(() -> {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** While it exists, people purge what is unresolved, and want back what was never paid. */
    Path lateTruth() {
        return directory.resolve("late-truth");
    }

    /** Ends every fault that is going on, and returns when everything runs again. */
    void heal() {
        toPostgres.set(Conditions.fair());
        toStripe.set(Conditions.fair());
        toAdyen.set(Conditions.fair());
        toKafka.set(Conditions.fair());
        toKafkaForOthers.set(Conditions.fair());
        stripe.acceptConnections();
        stripe.endOutage();
        adyen.acceptConnections();
        adyen.endOutage();
        outsiders.ifPresent(CampaignOutsiders::heal);
        bank.ifPresent(CampaignBank::heal);
        storms.forEach(Runnable::run);
        storms.clear();
        healBroker();
        services.forEach(Child::thaw);
        services.forEach(service -> service.shiftClock(Duration.ZERO));
        services.forEach(service -> service.restartAsUsual(TO_LEAVE));
        startServices();
        awaitPort(ingestPort, services.getFirst());
        metrics.forEach((address, service) -> awaitPort(address.getPort(), service));
    }

    void healBroker() {
        broker.thaw();
        broker.startIfDead();
        awaitPort(kafkaPort, broker);
        List.copyOf(brokerMendings).forEach(Runnable::run);
        brokerMendings.clear();
    }

    private void awaitPort(int port, Child child) {
        long giveUp = System.nanoTime() + TO_START.toNanos();
        while (!accepts(port)) {
            // Who is to die at an exact place may come there before it listens.
            child.startIfDead();
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException("%s does not come up; its log: %s".formatted(child.name(),
                        new ServiceLogs(List.of(child.log())).linesWith("ERROR")));
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

    CheckEvidence evidence(Path history) {
        List<URI> ledgers = Stream.concat(Stream.of(stripe.apiBase(), adyen.apiBase()), bank.stream().map(CampaignBank::ledger)).toList();
        return CheckEvidence.of(database.url(), "postgres", "", kafka(), TIERS, ledgers)
                .calls(new Calls.InFile(history))
                .planted(List.of(ServiceSettings.STRIPE_KEY, AdyenSimulatorSettings.API_KEY, "4242424242424242"), logs().files());
    }

    /** When all has come to rest, there is a receipt for each success, and what was sent has come. */
    CheckEvidence settled(CheckEvidence evidence) {
        return outsiders.map(they -> evidence.arrivals(they).withOurReceipts()).orElse(evidence);
    }

    /** Where the services tell about themselves. */
    List<URI> metrics() {
        return List.copyOf(metrics.keySet());
    }

    ServiceLogs logs() {
        return new ServiceLogs(services.stream().map(Child::log).filter(Files::exists).toList());
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
        toAdyen.close();
        toKafka.close();
        toKafkaForOthers.close();
        stripe.close();
        adyen.close();
        outsiders.ifPresent(CampaignOutsiders::close);
        bank.ifPresent(CampaignBank::close);
        removeDirectory();
        Runtime.getRuntime().removeShutdownHook(lastWill);
    }

    /** Also while another process still writes there or removes it too, so that a killed one leaves nothing behind. */
    private void removeDirectory() {
        for (int i = 0; i < TRIES_TO_REMOVE && Files.exists(directory); i++) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException | UncheckedIOException changedMeanwhile) {
                Pauses.of(Duration.ofMillis(100));
            }
        }
    }
}
