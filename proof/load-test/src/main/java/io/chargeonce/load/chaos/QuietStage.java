// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.database.Roles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What campaigns run on, without any fault: for those who try the services from outside. Each role of Postgres is a login without a
 * password there. For one thread.
 */
public final class QuietStage implements AutoCloseable {

    public static final String ADMIN_TOKEN = "admin-token";

    private final Path token;
    private final CampaignStage stage;

    /** Returns when payments are taken. */
    public QuietStage() throws IOException {
        token = Files.writeString(Files.createTempFile("chargeonce-admin-", ".token"), ADMIN_TOKEN);
        stage = new CampaignStage(Optional.empty(), Map.of("CHARGEONCE_ADMIN_TOKEN_FILE", token.toString()), List.of());
        boolean started = false;
        try {
            stage.start(false);
            Roles.apply(database(), "postgres", "", Optional.empty());
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Where two merchants pay, with the tokens {@code test_acme} and {@code test_globex}. */
    public URI ingest() {
        return stage.ingest();
    }

    /** Where PSPs send webhooks. */
    public URI webhooks() {
        return URI.create("http://127.0.0.1:" + stage.webhookPort);
    }

    public String webhookSecret() {
        return ServiceSettings.STRIPE_WEBHOOK_SECRET;
    }

    /** Where a service that charges tells about itself, to those who have {@link #ADMIN_TOKEN}. */
    public URI admin() {
        return stage.metrics().getLast();
    }

    public String database() {
        return stage.postgres.jdbcUrl();
    }

    public List<Path> logs() {
        return stage.logs().files();
    }

    @Override
    public void close() throws IOException {
        stage.close();
        Files.delete(token);
    }
}
