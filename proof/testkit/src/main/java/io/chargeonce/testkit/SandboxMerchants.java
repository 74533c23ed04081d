// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.PipelineSettings;

/** The two merchants of a pipeline on one machine, with the tokens that its documentation names. */
public final class SandboxMerchants {

    public static final String ACME_TOKEN = "test_acme";
    public static final String GLOBEX_TOKEN = "test_globex";

    private static final String CREATE = """
            INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex') ON CONFLICT DO NOTHING;
            INSERT INTO merchant_token (token_sha256, merchant_id)
            VALUES (sha256('%s'), 'acme'), (sha256('%s'), 'globex') ON CONFLICT DO NOTHING
            """.formatted(ACME_TOKEN, GLOBEX_TOKEN);

    private SandboxMerchants() {}

    /** Idempotent. */
    public static void create(PipelineSettings settings) {
        try (var database = Database.open(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), 1)) {
            database.withConnection(connection -> Sql.update(connection, CREATE));
        }
    }
}
