// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.notifications.webhook.WebhookSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The pipeline to work on: the environment names it, unless an option does. */
final class PipelineOptions {

    /** The same environment serves the commands of the product. */
    private static final List<Setting<?>> CATALOGUE = Stream.of(PipelineSettings.ALL, IngestSettings.ALL, ChargeSettings.ALL,
            ConsoleSettings.OWN, WebhookSettings.ALL, ReceiptSettings.ALL, BankFilesSettings.ALL).flatMap(Collection::stream).distinct()
            .toList();

    private static final URI ADMIN_OF_UP = URI.create("http://127.0.0.1:9100");

    @Option(names = "--database", paramLabel = "JDBC_URL", description = "Default: CHARGEONCE_DATABASE_URL.")
    Optional<String> database = Optional.empty();

    @Option(names = "--kafka", paramLabel = "HOST:PORT", description = "Default: CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS.")
    Optional<String> kafka = Optional.empty();

    /** @throws io.chargeonce.runtime.SettingsProblems naming everything that is wrong */
    PipelineSettings settings() {
        // What an option says is judged as a setting is.
        var environment = new HashMap<>(System.getenv());
        database.ifPresent(url -> environment.put(PipelineSettings.DATABASE_URL.name(), url));
        kafka.ifPresent(servers -> environment.put(PipelineSettings.KAFKA.name(), servers));
        return Settings.load(environment, PipelineSettings.ALL, CATALOGUE).read(PipelineSettings::from);
    }

    private static final Setting<Optional<List<Duration>>> GIVEN_TIERS = PipelineSettings.TIERS.optional();

    /** Empty unless the environment or the properties file says them. */
    Optional<List<Duration>> tiers() {
        return Settings.load(System.getenv(), List.of(GIVEN_TIERS), CATALOGUE).get(GIVEN_TIERS);
    }

    /** Where the services serve metrics; without such a setting, where {@code up} does. */
    URI admin() {
        return adminSettings().get(PipelineSettings.ADMIN).map(address -> URI.create("http://" + address)).orElse(ADMIN_OF_UP);
    }

    Optional<Secret> adminToken() {
        return adminSettings().get(PipelineSettings.ADMIN_TOKEN);
    }

    private static Settings adminSettings() {
        return Settings.load(System.getenv(), List.of(PipelineSettings.ADMIN, PipelineSettings.ADMIN_TOKEN), CATALOGUE);
    }

    KafkaConnection connection() {
        PipelineSettings settings = settings();
        return KafkaConnection.of(settings.kafka(), settings.kafkaProperties());
    }

    CheckEvidence evidence(List<URI> psps) {
        PipelineSettings settings = settings();
        return CheckEvidence.of(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(),
                settings.kafka(), settings.tiers(), psps)
                .topicPrefix(settings.topicPrefix()).kafka(connection().clientProperties());
    }
}
