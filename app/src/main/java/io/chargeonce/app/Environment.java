// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.bank.terminal.BankCommand;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.reconcile.terminal.ReconcileSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.vault.Vault;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand;
import io.chargeonce.wire.Topics;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The settings of this process, from environment variables. */
public final class Environment {

    /** Every setting that any process reads: a name that is not here is a typo. */
    public static final List<Setting<?>> CATALOGUE =
            Stream.of(PipelineSettings.ALL, IngestSettings.ALL, ChargeSettings.ALL, ConsoleSettings.OWN, WebhookSettings.ALL,
                    ReceiptSettings.ALL, ReconcileSettings.ALL, BankFilesSettings.ALL)
                    .<Setting<?>>flatMap(Collection::stream)
                    // Several processes read the same one, some of them with another rule: the last says it in full.
                    .collect(Collectors.toMap(Setting::name, setting -> setting, (first, last) -> last, LinkedHashMap::new))
                    .values().stream().<Setting<?>>map(setting -> setting).toList();

    private Environment() {}

    /** @throws io.chargeonce.runtime.SettingsProblems naming everything that is wrong */
    static <R> R read(Collection<Setting<?>> used, Function<Settings, R> from) {
        return Settings.load(System.getenv(), used, CATALOGUE).read(from);
    }

    static KafkaConnection kafka() {
        PipelineSettings settings = read(PipelineSettings.ALL, PipelineSettings::from);
        return KafkaConnection.of(settings.kafka(), settings.kafkaProperties());
    }

    /** None, if the settings name no file. */
    static AuditKeys auditKeys() {
        return read(List.of(AuditKeys.FILE), settings -> AuditKeys.of(settings.get(AuditKeys.FILE)));
    }

    static DeadLetterQueue openDeadLetterQueue() {
        record Opening(PipelineSettings pipeline, Vault vault) {}
        var used = Stream.concat(PipelineSettings.ALL.stream(), Stream.of(Vault.FILE_OF_A_COMMAND)).toList();
        var opening = read(used, settings -> new Opening(PipelineSettings.from(settings), Vault.ofCommand(settings)));
        PipelineSettings settings = opening.pipeline;
        var database = Database.openForCommand(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword());
        return new DeadLetterQueue(database, new Topics(settings.topicPrefix()), opening.vault, settings.tiers().size());
    }

    static BankCommand.Opened openBank() {
        record Opening(PipelineSettings pipeline, Vault vault) {}
        var opening = read(Stream.concat(PipelineSettings.ALL.stream(), Stream.of(BankFilesSettings.KEY_FILE_OF_A_COMMAND)).toList(),
                settings -> new Opening(PipelineSettings.from(settings),
                        Vault.ofCommand(BankFilesSettings.KEY_FILE_OF_A_COMMAND, settings)));
        PipelineSettings settings = opening.pipeline;
        return new BankCommand.Opened(
                Database.openForCommand(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword()), opening.vault);
    }

    static WebhookCommand.Opened openWebhooks() {
        record Opening(PipelineSettings pipeline, EndpointSettings endpoints) {}
        var opening = read(Stream.of(PipelineSettings.ALL, EndpointSettings.ALL).flatMap(List::stream).toList(),
                settings -> new Opening(PipelineSettings.from(settings), EndpointSettings.from(settings)));
        PipelineSettings settings = opening.pipeline;
        return new WebhookCommand.Opened(
                Database.openForCommand(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword()),
                opening.endpoints);
    }
}
