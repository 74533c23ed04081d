// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

/** The settings of a campaign's services: all connections through proxies, all durations short. */
record ServiceSettings(Path directory, int kafkaPort, int postgresPort, int stripePort, int adyenPort) {

    /** Signs the Stripe simulator's webhooks, which are about disputes. */
    static final String STRIPE_WEBHOOK_SECRET = "whsec_chaos";

    /** Signs the Adyen simulator's webhooks. */
    static final String ADYEN_HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

    static final String ROUTES = "method= -> stripe:2,adyen:1";

    /** By the variable's name. */
    Map<String, String> of(String kind, int ingestPort) {
        var settings = new HashMap<String, String>();
        settings.put("CHARGEONCE_DATABASE_URL", "jdbc:postgresql://127.0.0.1:%d/chargeonce".formatted(postgresPort));
        settings.put("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:" + kafkaPort);
        // A killed member's work is to be taken over within a campaign, so groups wait for it a shorter time.
        settings.put("CHARGEONCE_KAFKA_PROPERTIES_FILE", secret("kafka.properties", """
                security.protocol=SASL_PLAINTEXT
                sasl.mechanism=SCRAM-SHA-256
                sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="%s" password="%s";
                session.timeout.ms=2000
                heartbeat.interval.ms=500
                """.formatted(PipelineTopics.USER, PipelineTopics.PASSWORD)));
        settings.put("CHARGEONCE_RETRY_TIERS", "300ms,600ms,1s");
        switch (kind) {
            case "operator" -> {
            }
            case "ingest" -> {
                settings.put("CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:" + LowPort.free());
                settings.put("CHARGEONCE_INGEST_ADDRESS", "127.0.0.1:" + ingestPort);
            }
            case "webhooks", "receipts", "bank-files" -> settings.put("CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:" + LowPort.free());
            case "console" -> {
                settings.put("CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:" + LowPort.free());
                settings.put("CHARGEONCE_CONSOLE_ADDRESS", "127.0.0.1:" + LowPort.free());
                settings.put("CHARGEONCE_WITNESS_STATE_FOLDER", directory.resolve("witness").toString());
                settings.put("CHARGEONCE_WITNESS_OVERDUE_AFTER", WitnessedConsole.OVERDUE_AFTER);
                settings.put("CHARGEONCE_WITNESS_DIFFERENCE_AFTER", WitnessedConsole.DIFFERENCE_AFTER);
            }
            default -> {
                settings.put("CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:" + LowPort.free());
                charging(settings);
            }
        }
        return settings;
    }

    private void charging(Map<String, String> settings) {
        settings.put("CHARGEONCE_STRIPE_API_KEY_FILE", secret("stripe-key", STRIPE_KEY));
        settings.put("CHARGEONCE_DATA_KEY_FILE", dataKey());
        settings.put("CHARGEONCE_STRIPE_API_BASE", "http://127.0.0.1:" + stripePort);
        settings.put("CHARGEONCE_STRIPE_WEBHOOK_SECRET_FILE", secret("stripe-webhook-secret", STRIPE_WEBHOOK_SECRET));
        settings.put("CHARGEONCE_ADYEN_API_KEY_FILE", secret("adyen-key", AdyenSimulatorSettings.API_KEY));
        settings.put("CHARGEONCE_ADYEN_API_BASE", "http://127.0.0.1:%d/v71".formatted(adyenPort));
        settings.put("CHARGEONCE_ADYEN_MERCHANT_ACCOUNT", AdyenSimulatorSettings.MERCHANT_ACCOUNT);
        settings.put("CHARGEONCE_ADYEN_HMAC_KEY_FILE", secret("adyen-hmac-key", ADYEN_HMAC_KEY));
        settings.put("CHARGEONCE_ROUTES", ROUTES);
        settings.put("CHARGEONCE_PSP_TIMEOUT", "500ms");
        settings.put("CHARGEONCE_CLAIM_LEASE", "4s");
        settings.put("CHARGEONCE_BREAKER_OPEN_FOR", "300ms");
        settings.put("CHARGEONCE_RESOLVE_LADDER", "200ms,500ms");
        settings.put("CHARGEONCE_SWEEP_AFTER", "2s");
    }

    /** Of the account that the load's cards and payments are at. */
    static final String STRIPE_KEY = "sk_test_chaos";

    /** The half that seals: nothing of a campaign opens what was sealed. */
    private String dataKey() {
        Path file = directory.resolve("data-key");
        try {
            if (Files.notExists(file)) {
                DataKeys.add(file);
            }
            return file + DataKeys.PUBLIC;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String secret(String name, String text) {
        try {
            Path file = directory.resolve(name);
            if (Files.notExists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            return Files.writeString(file, text).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
