// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.Migrate;
import io.chargeonce.bank.BankFilesService;
import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.database.Database;
import io.chargeonce.notifications.receipt.Letterhead;
import io.chargeonce.notifications.receipt.MailServer;
import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Every service in this process, over broker, Postgres and simulator of this machine. */
final class LocalPipeline implements AutoCloseable {

    private static final Duration TIME_PER_PART = Duration.ofSeconds(60);
    /** Debits go to the bank. */
    static final String ROUTES = "method=mandate_ -> bank; " + CardPipeline.ROUTES;
    private static final int PARTITIONS = 12;

    private final Lifecycle lifecycle;
    final Foundations foundations;
    final Vault vault;
    final PipelineSettings settings;
    final int ingestPort;
    final int adminPort;
    final int consolePort;

    private LocalPipeline(Lifecycle lifecycle, Foundations foundations, Vault vault, PipelineSettings settings, int ingestPort,
                          int adminPort, int consolePort) {
        this.lifecycle = lifecycle;
        this.foundations = foundations;
        this.vault = vault;
        this.settings = settings;
        this.ingestPort = ingestPort;
        this.adminPort = adminPort;
        this.consolePort = consolePort;
    }

    /** @param keep the directory in which everything stays between runs; empty for a temporary one */
    static LocalPipeline start(Optional<Path> keep, Ports ports, CardPipeline.Pace pace) {
        var lifecycle = new Lifecycle("chargeonce", TIME_PER_PART);
        var foundations = Foundations.start(lifecycle, keep, ports);
        var pipeline = new PipelineSettings(foundations.postgres().jdbcUrl(), "postgres", "", foundations.kafka().bootstrapServers(),
                Optional.empty(), "payments", pace.tiers(), Optional.empty());
        Migrate.schema(pipeline);
        Migrate.topics(pipeline, PARTITIONS, Optional.of((short) 1));
        Migrate.agreeOnTiers(pipeline);
        SandboxMerchants.create(pipeline);
        LocalPeople.create(pipeline, foundations.postgres());
        var vault = Vault.of(secret(foundations.dataKey()));
        LocalBank.create(pipeline, vault);
        var meters = lifecycle.start("meters", () -> Meters.of("chargeonce"));
        var charge = CardPipeline.charge(pipeline, pace, foundations.stripe(), foundations.adyen(), ROUTES, ports.webhook(), vault)
                .withOurReceipts().withBanks(List.of(LocalBank.NAME));
        var ingest = CardPipeline.start(lifecycle, charge, ports.ingest, meters);
        var console = lifecycle.start("console", () -> ConsoleService.start(new ConsoleSettings(pipeline,
                new Address("127.0.0.1", ports.console), Optional.empty(), vault, Sessions.Lifetime.USUAL, witness(keep, pace)), meters));
        lifecycle.start("receipt-sender", () -> ReceiptService.start(receipts(pipeline, foundations), meters));
        lifecycle.start("bank-files", () -> BankFilesService.start(LocalBank.settings(pipeline, foundations.bank(), vault), meters));
        LocalBank.publish(foundations.bank(), meters);
        var database = lifecycle.start("database", () -> Database.open(pipeline.databaseUrl(), pipeline.databaseUser(), "", 1));
        var admin = lifecycle.start("admin server", () -> AdminServer.start(new Address("127.0.0.1", ports.admin), Optional.empty(),
                meters::scrape).ready("database", database::problem));
        return new LocalPipeline(lifecycle, foundations, vault, pipeline, ingest.port(), admin.port(), console.port());
    }

    private static ReceiptSettings receipts(PipelineSettings pipeline, Foundations foundations) {
        return new ReceiptSettings(pipeline, MailServer.here(foundations.mail().port(), Duration.ofSeconds(10)),
                new Letterhead("receipts@chargeonce.example", Optional.empty(), Locale.ENGLISH, ZoneId.of("UTC")));
    }

    /** It reports what is overdue before the sweeper heals it. */
    private static WitnessSettings witness(Optional<Path> keep, CardPipeline.Pace pace) {
        return new WitnessSettings(Optional.empty(), keep.map(data -> data.resolve("witness")), pace.lease().plusSeconds(3),
                Duration.ofSeconds(15), Duration.ofDays(1), Duration.ofSeconds(1));
    }

    private static Secret secret(Path file) {
        try {
            return new Secret(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitShutdown() throws InterruptedException {
        lifecycle.awaitShutdown();
    }

    @Override
    public void close() {
        lifecycle.close();
    }
}
