// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.notifications.SenderFixture;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.Secret;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Payments that end, and the service under its own role. */
final class Hooks extends SenderFixture {

    static final List<Duration> NEVER_AGAIN = List.of(Duration.ofHours(1));
    private static final Set<String> HERE = Set.of("localhost");

    private final Vault opens;
    private final Vault seals;

    Hooks() {
        try {
            Path file = Files.createTempDirectory("hooks").resolve("key");
            DataKeys.add(file);
            opens = Vault.of(new Secret(Files.readString(file)));
            seals = Vault.of(new Secret(Files.readString(file.resolveSibling("key" + DataKeys.PUBLIC))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    WebhookSettings settings() {
        return new WebhookSettings(pipeline("chargeonce_webhooks"), opens).withAllowedHosts(HERE)
                .withPace(NEVER_AGAIN, Duration.ofSeconds(10), 16, 4);
    }

    Lifecycle start(WebhookSettings settings) {
        return started(WebhookService.start(settings, Meters.of("test")));
    }

    /** As the role that manages merchants, which holds only the public half of the key. */
    Called webhook(String... arguments) {
        return call(new WebhookCommand(() -> new WebhookCommand.Opened(
                Database.openForCommand(as("chargeonce_merchant_admin"), "chargeonce_merchant_admin", ""),
                new EndpointSettings(seals, HERE))).commandLine(), arguments);
    }

    EndpointTable.NewEndpoint endpoint(String merchant, String address, String... events) {
        Called added = webhook("add", "--merchant", merchant, "--url", address, "--events",
                events.length == 0 ? "*" : String.join(",", events), "--json");
        if (added.exit() != 0) {
            throw new IllegalStateException(added.err());
        }
        String[] parts = added.out().split("\"");
        return new EndpointTable.NewEndpoint(parts[3], parts[7]);
    }

    /** Returns the id of a payment that has ended so. */
    String settled(String merchant, String state) {
        String id = accepted(merchant);
        execute("""
                UPDATE operation_state SET state = '%s', step = 2, settled_at = now(), psp = 'stripe', psp_reference = 'pi_1',
                       failure_cause = %s
                 WHERE operation_id = '%s'""".formatted(state, state.equals("declined") ? "'insufficient_funds'" : "NULL", id));
        return id;
    }

    String accepted(String merchant) {
        String id = "pay_" + UUID.randomUUID();
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                    customer, description, receipt_email, charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', '%2$s', '%1$s', 1299, 'EUR', 'pm_card_visa', 'cus_secret', 'secret words',
                    'secret@example.com', 86400)""".formatted(id, merchant));
        return id;
    }

    void publish(String operation) {
        publish(operation, "{\"type\":\"payment.outcome\",\"status\":\"succeeded\",\"amount\":999999,\"merchant\":\"globex\"}");
    }

    void publish(String operation, String value) {
        publish(topics.outcomes(), operation, value);
    }
}
