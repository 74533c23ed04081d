// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.bank.BankFilesService;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.tls.ModernTls;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.sandbox.KafkaBroker;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a child process runs: the service as it is shipped, by its settings. Started by {@link Child}. */
public final class ServiceMain {

    private static final List<Setting<?>> CATALOGUE = Stream.of(PipelineSettings.ALL, IngestSettings.ALL, ChargeSettings.ALL,
            ConsoleSettings.ALL, WebhookSettings.ALL, ReceiptSettings.ALL, BankFilesSettings.ALL)
            .flatMap(Collection::stream).distinct().toList();

    private ServiceMain() {}

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        ModernTls.everywhere();
        dieWithParent();
        switch (arguments[0]) {
            case "broker" -> {
                KafkaBroker broker = KafkaBroker.start(Path.of(arguments[1]), Integer.parseInt(arguments[2]), guarded(arguments));
                Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "close-broker"));
                Thread.currentThread().join();
            }
            case "ingest" -> {
                try (var meters = Meters.of("ingest-service");
                     var service = IngestService.start(read(IngestSettings.ALL, IngestSettings::from), meters)) {
                    service.awaitShutdown();
                }
            }
            case "charge" -> {
                try (var meters = Meters.of("charge-consumer");
                     var service = ChargeService.start(ChargeSettings.read(System.getenv(), CATALOGUE), meters)) {
                    service.awaitShutdown();
                }
            }
            case "retry" -> {
                try (var meters = Meters.of("retry-consumers");
                     var service = RetryService.start(ChargeSettings.read(System.getenv(), CATALOGUE), meters)) {
                    service.awaitShutdown();
                }
            }
            case "console" -> {
                try (var meters = Meters.of("console");
                     var service = ConsoleService.start(read(ConsoleSettings.ALL, ConsoleSettings::from), meters)) {
                    service.awaitShutdown();
                }
            }
            case "webhooks" -> {
                try (var meters = Meters.of("webhook-sender");
                     var service = WebhookService.start(read(WebhookSettings.ALL, WebhookSettings::from), meters)) {
                    service.awaitShutdown();
                }
            }
            case "receipts" -> {
                try (var meters = Meters.of("receipt-sender");
                     var service = ReceiptService.start(read(ReceiptSettings.ALL, ReceiptSettings::from), meters)) {
                    service.awaitShutdown();
                }
            }
            case "bank-files" -> {
                try (var meters = Meters.of("bank-files");
                     var service = BankFilesService.start(read(BankFilesSettings.ALL, BankFilesSettings::from), meters)) {
                    service.awaitShutdown();
                }
            }
            case "operator" -> {
                PipelineSettings settings = read(PipelineSettings.ALL, PipelineSettings::from);
                try (var database = Database.open(settings.databaseUrl(), settings.databaseUser(),
                        settings.databasePassword().get(), 4)) {
                    Operators.work(new DeadLetterQueue(database, new Topics(settings.topicPrefix())), Long.parseLong(arguments[1]),
                            Path.of(arguments[2]));
                }
            }
            default -> throw new IllegalArgumentException("Bug! There is no service " + arguments[0]);
        }
    }

    /** Each as its port and the one that clients are told. */
    private static List<KafkaBroker.Guarded> guarded(String[] arguments) {
        return Stream.of(arguments).skip(3).map(ports -> ports.split(":"))
                .map(ports -> new KafkaBroker.Guarded(Integer.parseInt(ports[0]), Integer.parseInt(ports[1]))).toList();
    }

    /** The parent holds the other end of our input; when it is gone, for any reason, so are we. */
    private static void dieWithParent() {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // The parent writes nothing; only the end counts.
                }
            } catch (IOException ended) {
                // The same.
            }
            Runtime.getRuntime().halt(143);
        });
    }

    private static <R> R read(Collection<Setting<?>> used, Function<Settings, R> from) {
        return Settings.load(System.getenv(), used, CATALOGUE).read(from);
    }
}
